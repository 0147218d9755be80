// Runs an exported model through the PJRT C API: no Python, no JAX, one shared
// library that is loaded when it is needed.
//
//   run_model PLUGIN.so model.stablehlo digits.f32 [results.f32]
//
// PLUGIN.so is any PJRT plugin: this project's for CPUs, or a vendor's for its
// devices. The program takes 8 images of 64 floats and returns 8 rows of 10
// probabilities, which it prints, and writes as raw floats if a fourth file is
// given; export_model.py writes the model and the images, and draws the
// results. For a model of your own, change the three sizes below.

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "pjrt_c_api.h"

namespace {

constexpr int64_t kBatch = 8, kPixels = 64, kDigits = 10;

const PJRT_Api *api = nullptr;

// Every struct of the API begins with its size, so that older and newer sides
// understand each other.
template <typename Args>
Args args(size_t size) {
  Args result{};
  result.struct_size = size;
  return result;
}
#define ARGS(Name) args<Name##_Args>(Name##_Args_STRUCT_SIZE)

[[noreturn]] void fail(const std::string &what) {
  std::fprintf(stderr, "run_model: %s\n", what.c_str());
  std::exit(1);
}

// Ends the program with the plugin's message if a call failed.
void check(PJRT_Error *error, const char *what) {
  if (!error) {
    return;
  }
  auto message = ARGS(PJRT_Error_Message);
  message.error = error;
  api->PJRT_Error_Message(&message);
  fail(std::string(what) + ": " +
       std::string(message.message, message.message_size));
}

// Waits for something that the device does in the background, and frees the
// event.
void await(PJRT_Event *event, const char *what) {
  auto wait = ARGS(PJRT_Event_Await);
  wait.event = event;
  check(api->PJRT_Event_Await(&wait), what);
  auto destroy = ARGS(PJRT_Event_Destroy);
  destroy.event = event;
  check(api->PJRT_Event_Destroy(&destroy), what);
}

std::string read(const char *path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    fail(std::string("cannot read ") + path);
  }
  return {std::istreambuf_iterator<char>(file),
          std::istreambuf_iterator<char>()};
}

void loadPlugin(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fail(dlerror());
  }
  auto get =
      reinterpret_cast<const PJRT_Api *(*)()>(dlsym(library, "GetPjrtApi"));
  if (!get) {
    fail(std::string(path) + " exports no GetPjrtApi");
  }
  api = get();
  auto initialize = ARGS(PJRT_Plugin_Initialize);
  check(api->PJRT_Plugin_Initialize(&initialize), "initialize the plugin");
}

PJRT_Client *makeClient() {
  auto create = ARGS(PJRT_Client_Create);
  check(api->PJRT_Client_Create(&create), "create a client");
  return create.client;
}

PJRT_Device *firstDevice(PJRT_Client *client) {
  auto devices = ARGS(PJRT_Client_AddressableDevices);
  devices.client = client;
  check(api->PJRT_Client_AddressableDevices(&devices), "list the devices");
  if (devices.num_addressable_devices == 0) {
    fail("the plugin has no device");
  }
  return devices.addressable_devices[0];
}

PJRT_LoadedExecutable *compile(PJRT_Client *client, std::string &code) {
  std::string format = "mlir";
  auto program = args<PJRT_Program>(PJRT_Program_STRUCT_SIZE);
  program.code = code.data();
  program.code_size = code.size();
  program.format = format.data();
  program.format_size = format.size();
  // A CompileOptionsProto that says: one replica, one partition.
  const std::string options("\x1a\x04\x20\x01\x28\x01", 6);
  auto compile = ARGS(PJRT_Client_Compile);
  compile.client = client;
  compile.program = &program;
  compile.compile_options = options.data();
  compile.compile_options_size = options.size();
  check(api->PJRT_Client_Compile(&compile), "compile the model");
  return compile.executable;
}

PJRT_Buffer *toDevice(PJRT_Client *client, PJRT_Device *device,
                      const std::vector<float> &values) {
  const int64_t shape[] = {kBatch, kPixels};
  auto copy = ARGS(PJRT_Client_BufferFromHostBuffer);
  copy.client = client;
  copy.data = values.data();
  copy.type = PJRT_Buffer_Type_F32;
  copy.dims = shape;
  copy.num_dims = 2;
  copy.host_buffer_semantics =
      PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes;
  copy.device = device;
  check(api->PJRT_Client_BufferFromHostBuffer(&copy), "copy the images");
  await(copy.done_with_host_buffer, "copy the images");
  return copy.buffer;
}

PJRT_Buffer *execute(PJRT_LoadedExecutable *executable, PJRT_Buffer *input) {
  auto options = args<PJRT_ExecuteOptions>(PJRT_ExecuteOptions_STRUCT_SIZE);
  // Lists by device: here one device, one argument, one result.
  PJRT_Buffer *const arguments[] = {input};
  PJRT_Buffer *const *const argumentLists[] = {arguments};
  PJRT_Buffer *results[] = {nullptr};
  PJRT_Buffer **resultLists[] = {results};
  PJRT_Event *done = nullptr;
  auto run = ARGS(PJRT_LoadedExecutable_Execute);
  run.executable = executable;
  run.options = &options;
  run.argument_lists = argumentLists;
  run.num_devices = 1;
  run.num_args = 1;
  run.output_lists = resultLists;
  run.device_complete_events = &done;
  check(api->PJRT_LoadedExecutable_Execute(&run), "run the model");
  await(done, "run the model");
  return results[0];
}

std::vector<float> toHost(PJRT_Buffer *buffer) {
  std::vector<float> values(kBatch * kDigits);
  auto copy = ARGS(PJRT_Buffer_ToHostBuffer);
  copy.src = buffer;
  copy.dst = values.data();
  copy.dst_size = values.size() * sizeof(float);
  check(api->PJRT_Buffer_ToHostBuffer(&copy), "copy the result");
  await(copy.event, "copy the result");
  return values;
}

void destroy(PJRT_Buffer *buffer) {
  auto destroy = ARGS(PJRT_Buffer_Destroy);
  destroy.buffer = buffer;
  check(api->PJRT_Buffer_Destroy(&destroy), "free a buffer");
}

void write(const char *path, const std::vector<float> &values) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char *>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(float)));
  if (!file.flush()) {
    fail(std::string("cannot write ") + path);
  }
}

void draw(const float *image) {
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) {
      std::putchar(
          " .:*#"[static_cast<int>(std::min(image[8 * y + x], 0.99f) * 5)]);
    }
    std::putchar('\n');
  }
}

} // namespace

int main(int count, char **arguments) {
  if (count != 4 && count != 5) {
    fail("usage: run_model PLUGIN.so model.stablehlo digits.f32 [results.f32]");
  }
  loadPlugin(arguments[1]);
  std::string code = read(arguments[2]);
  const std::string bytes = read(arguments[3]);
  if (bytes.size() != kBatch * kPixels * sizeof(float)) {
    fail(std::string(arguments[3]) + " does not hold " +
         std::to_string(kBatch) + " rows of " + std::to_string(kPixels) +
         " floats");
  }
  std::vector<float> images(kBatch * kPixels);
  std::copy(bytes.begin(), bytes.end(),
            reinterpret_cast<char *>(images.data()));

  PJRT_Client *client = makeClient();
  PJRT_LoadedExecutable *executable = compile(client, code);
  PJRT_Buffer *input = toDevice(client, firstDevice(client), images);
  PJRT_Buffer *output = execute(executable, input);
  const std::vector<float> probabilities = toHost(output);

  if (kPixels == 64) {
    draw(images.data());
  }
  for (int64_t i = 0; i < kBatch; ++i) {
    const float *row = &probabilities[i * kDigits];
    const float *best = std::max_element(row, row + kDigits);
    std::printf("image %ld: %ld, probability %.6f\n", static_cast<long>(i),
                static_cast<long>(best - row), static_cast<double>(*best));
  }

  if (count == 5) {
    write(arguments[4], probabilities);
  }

  destroy(input);
  destroy(output);
  auto unload = ARGS(PJRT_LoadedExecutable_Destroy);
  unload.executable = executable;
  check(api->PJRT_LoadedExecutable_Destroy(&unload), "free the program");
  auto close = ARGS(PJRT_Client_Destroy);
  close.client = client;
  check(api->PJRT_Client_Destroy(&close), "close the client");
}
