"""keras 3.15.1: trains a dense network."""

import os

os.environ["KERAS_BACKEND"] = "jax"
import keras
import numpy as np

keras.utils.set_random_seed(0)
model = keras.Sequential(
    [
        keras.layers.Input((4,)),
        keras.layers.Dense(8, activation="relu"),
        keras.layers.Dense(1),
    ]
)
model.compile(optimizer="adam", loss="mse", metrics=["mae"])
x = np.linspace(0, 1, 40).reshape(10, 4).astype("float32")
history = model.fit(x, x.sum(1), epochs=3, verbose=0, batch_size=5)
print(history.history, model.predict(x[:2], verbose=0), model.count_params())
conv = keras.Sequential(
    [
        keras.layers.Input((8, 8, 1)),
        keras.layers.Conv2D(2, 3),
        keras.layers.BatchNormalization(),
        keras.layers.MaxPooling2D(),
        keras.layers.Flatten(),
        keras.layers.LSTM(3) if False else keras.layers.Dense(2),
    ]
)
print(conv(np.ones((1, 8, 8, 1), "float32")))

# Upstream prints:
#   {'loss': [3.9036917686462402, 3.858320713043213, 3.8149852752685547], 'mae': [1.7007414102554321, 1.6894524097442627, 1.6779441833496094]} [[0.0450712 ]
#    [0.10942338]] 49
#   [[-1.3663039 -0.4997073]]
