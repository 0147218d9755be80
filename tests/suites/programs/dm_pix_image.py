"""dm-pix 0.4.5: changes colours and shapes of an image."""

import dm_pix as pix

import jax
import jax.numpy as jnp

image = jax.random.uniform(jax.random.PRNGKey(0), (8, 8, 3))
print(
    pix.flip_left_right(image)[0, 0],
    pix.adjust_contrast(image, 2.0)[0, 0],
    pix.adjust_hue(image, 0.1)[0, 0],
)
print(
    pix.gaussian_blur(image, sigma=1.0, kernel_size=3)[4, 4],
    pix.rgb_to_hsv(image)[1, 1],
    pix.solarize(image, 0.5)[0, 0],
)
print(
    pix.random_crop(jax.random.PRNGKey(1), image, (4, 4, 3))[0, 0],
    pix.random_brightness(jax.random.PRNGKey(2), image, 0.3)[0, 0],
)
print(
    pix.psnr(image, image * 0.9),
    pix.ssim(image, image * 0.9),
    pix.mse(image, image * 0.9),
)
print(
    pix.affine_transform(image, jnp.array([[1.0, 0.1, 0], [0, 1, 0], [0, 0, 1]]))[3, 3],
    pix.rotate(image, 0.3)[4, 4],
)
print(
    jax.jit(pix.elastic_deformation, static_argnums=(2, 3))(
        jax.random.PRNGKey(0), image, 10.0, 5.0
    )[4, 4]
)
print(pix.depth_to_space(jnp.arange(16.0).reshape(1, 2, 2, 4), 2)[0, :, :, 0])

# Upstream prints:
#   [0.9580188  0.5188192  0.79221416] [1.3915355  1.4174292  0.21320167] [0.55989385 0.9785799  0.33229145]
#   [0.5689574  0.5083226  0.45555112] [0.9945683  0.7196764  0.75499094] [0.052333   0.02142012 0.33229148]
#   [0.8505409  0.22916746 0.3336128 ] [1.0321417 1.0630546 0.4167661]
#   24.824783 0.98901594 0.0032924693
#   [0.8918507  0.60005397 0.6087839 ] [0.4680367 0.6621139 0.4472088]
#   [0.57620966 0.40532485 0.31659794]
#   [[ 0.  1.  4.  5.]
#    [ 2.  3.  6.  7.]
#    [ 8.  9. 12. 13.]
#    [10. 11. 14. 15.]]
