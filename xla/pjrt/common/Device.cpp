#include "xla/pjrt/common/Client.h"
#include "xla/pjrt/common/Error.h"
#include "xla/pjrt/common/Functions.h"
#include "xla/runtime/Allocator.h"

#include <cstring>

namespace xla::pjrt {

const std::vector<const PJRT_MemoryDescription *> &memoryDescriptions() {
  static const auto *descriptions =
      new std::vector<const PJRT_MemoryDescription *>{
          new PJRT_MemoryDescription{0, "device"},
          new PJRT_MemoryDescription{1, "pinned_host"},
          new PJRT_MemoryDescription{2, "unpinned_host"},
      };
  return *descriptions;
}

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

PJRT_Error *DeviceDescription_Id(PJRT_DeviceDescription_Id_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_DeviceDescription_Id_Args, device_description);
  args->id = args->device_description->id;
  return nullptr;
}

PJRT_Error *
DeviceDescription_ProcessIndex(PJRT_DeviceDescription_ProcessIndex_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_DeviceDescription_ProcessIndex_Args,
                   device_description);
  args->process_index = args->device_description->processIndex;
  return nullptr;
}

PJRT_Error *
DeviceDescription_Attributes(PJRT_DeviceDescription_Attributes_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_DeviceDescription_Attributes_Args,
                   device_description);
  args->attributes = nullptr;
  args->num_attributes = 0;
  return nullptr;
}

PJRT_Error *DeviceDescription_Kind(PJRT_DeviceDescription_Kind_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_DeviceDescription_Kind_Args, device_description);
  args->device_kind = platform().deviceKind().data();
  args->device_kind_size = platform().deviceKind().size();
  return nullptr;
}

PJRT_Error *
DeviceDescription_DebugString(PJRT_DeviceDescription_DebugString_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_DeviceDescription_DebugString_Args,
                   device_description);
  args->debug_string = args->device_description->debugString.data();
  args->debug_string_size = args->device_description->debugString.size();
  return nullptr;
}

PJRT_Error *
DeviceDescription_ToString(PJRT_DeviceDescription_ToString_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_DeviceDescription_ToString_Args,
                   device_description);
  args->to_string = args->device_description->toString.data();
  args->to_string_size = args->device_description->toString.size();
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

Status otherProcessError(const PJRT_Device &device) {
  return invalidArgument(
      device.description->toString + " belongs to process " +
      std::to_string(device.description->processIndex) + ", and this is " +
      std::to_string(device.client->options.processIndex) +
      "; each process reads and writes the memory of its own devices");
}

PJRT_Error *Device_GetDescription(PJRT_Device_GetDescription_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Device_GetDescription_Args, device);
  args->device_description = args->device->description;
  return nullptr;
}

PJRT_Error *Device_IsAddressable(PJRT_Device_IsAddressable_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Device_IsAddressable_Args, device);
  args->is_addressable = args->device->isAddressable();
  return nullptr;
}

PJRT_Error *Device_LocalHardwareId(PJRT_Device_LocalHardwareId_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Device_LocalHardwareId_Args, device);
  args->local_hardware_id = args->device->localId;
  return nullptr;
}

PJRT_Error *
Device_AddressableMemories(PJRT_Device_AddressableMemories_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Device_AddressableMemories_Args, device);
  args->memories = args->device->memories.data();
  args->num_memories = args->device->memories.size();
  return nullptr;
}

PJRT_Error *Device_DefaultMemory(PJRT_Device_DefaultMemory_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Device_DefaultMemory_Args, device);
  if (!args->device->isAddressable()) {
    return makeError(otherProcessError(*args->device));
  }
  args->memory = args->device->memories.front();
  return nullptr;
}

PJRT_Error *Device_MemoryStats(PJRT_Device_MemoryStats_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Device_MemoryStats_Args, device);
  if (!args->device->isAddressable()) {
    return makeError(otherProcessError(*args->device));
  }
  const MemoryAccount &account = *args->device->account;
  CachingAllocator::Statistics pool = CachingAllocator::shared().statistics();
  // What we do not know stays unset.
  args->bytes_reserved_is_set = false;
  args->peak_bytes_reserved_is_set = false;
  args->bytes_reservable_limit_is_set = false;
  args->largest_free_block_bytes_is_set = false;
  args->peak_pool_bytes_is_set = false;
  args->bytes_in_use = account.bytesInUse;
  args->peak_bytes_in_use = account.peakBytesInUse;
  args->peak_bytes_in_use_is_set = true;
  args->num_allocs = account.allocations;
  args->num_allocs_is_set = true;
  args->largest_alloc_size = account.largestAllocation;
  args->largest_alloc_size_is_set = true;
  args->bytes_limit = pool.bytesLimit;
  args->bytes_limit_is_set = true;
  args->pool_bytes = pool.bytesPooled + pool.bytesInUse;
  args->pool_bytes_is_set = true;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Memories
//===----------------------------------------------------------------------===//

PJRT_Error *Memory_Id(PJRT_Memory_Id_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Memory_Id_Args, memory);
  args->id = args->memory->id;
  return nullptr;
}

PJRT_Error *Memory_Kind(PJRT_Memory_Kind_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Memory_Kind_Args, memory);
  const std::string &kind = args->memory->description->kind;
  args->kind = kind.data();
  args->kind_size = kind.size();
  return nullptr;
}

PJRT_Error *Memory_Kind_Id(PJRT_Memory_Kind_Id_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Memory_Kind_Id_Args, memory);
  args->kind_id = args->memory->description->kindId;
  return nullptr;
}

PJRT_Error *Memory_DebugString(PJRT_Memory_DebugString_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Memory_DebugString_Args, memory);
  args->debug_string = args->memory->debugString.data();
  args->debug_string_size = args->memory->debugString.size();
  return nullptr;
}

PJRT_Error *Memory_ToString(PJRT_Memory_ToString_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Memory_ToString_Args, memory);
  args->to_string = args->memory->toString.data();
  args->to_string_size = args->memory->toString.size();
  return nullptr;
}

PJRT_Error *
Memory_AddressableByDevices(PJRT_Memory_AddressableByDevices_Args *args) {
  XLA_PJRT_REQUIRE(args, PJRT_Memory_AddressableByDevices_Args, memory);
  args->devices = &args->memory->device;
  args->num_devices = 1;
  return nullptr;
}

} // namespace xla::pjrt
