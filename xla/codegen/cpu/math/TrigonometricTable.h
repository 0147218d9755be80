//===- TrigonometricTable.h - Powers of two modulo 2 pi ---------*- C++ -*-===//
//
// 2^(e - 23) minus the nearest multiple of 2 pi, as the sum of two doubles, for
// e = 48 to 127: what argument reduction of huge floats needs (Payne and Hanek
// 1983, turned from bits into residues). Written by 80-digit arithmetic.
//
//===----------------------------------------------------------------------===//

#ifndef XLA_CODEGEN_CPU_MATH_TRIGONOMETRICTABLE_H
#define XLA_CODEGEN_CPU_MATH_TRIGONOMETRICTABLE_H

namespace xla::math {

inline constexpr double residueHigh[] = {
    // Entry 0 stands for smaller exponents: times 1.
    1.0,
    -0x1.c9b6498c1137fp+0, 0x1.5a8920fc746b2p+1, -0x1.bcb4a23e73336p-1,
    -0x1.bcb4a23e73336p+0, 0x1.678ac84a126fap+1, -0x1.54a767d1830eep-1,
    -0x1.54a767d1830eep+0, -0x1.54a767d1830eep+1, 0x1.ebc26b95fe14fp-1,
    0x1.ebc26b95fe14fp+0, -0x1.387cfef2878e2p+1, 0x1.668ad946ed0dap+0,
    0x1.668ad946ed0dap+1, -0x1.5ca6dfeaae1f6p-1, -0x1.5ca6dfeaae1f6p+0,
    -0x1.5ca6dfeaae1f6p+1, 0x1.abc6aacca5912p-1, 0x1.abc6aacca5912p+0,
    -0x1.7878bfbbe011fp+1, 0x1.9a6f58862bf99p-2, 0x1.9a6f58862bf99p-1,
    0x1.9a6f58862bf99p+0, -0x1.89d0120259a97p+1, 0x1.09f4683d25023p-3,
    0x1.09f4683d25023p-2, 0x1.09f4683d25023p-1, 0x1.09f4683d25023p+0,
    0x1.09f4683d25023p+1, -0x1.10569a0e3b9eap+1, 0x1.0392366c0e65cp+1,
    -0x1.1d1afdb068d79p+1, 0x1.d412de4f67e7ep+0, -0x1.502c8c391dbb2p+1,
    0x1.07cca42c94599p+0, 0x1.07cca42c94599p+1, -0x1.14a6222f5ceffp+1,
    0x1.f5e64c5397865p+0, -0x1.2e591e34ee1cbp+1, 0x1.8f1a5c3d52d34p+0,
    0x1.8f1a5c3d52d34p+1, -0x1.82ac8377ff216p-5, -0x1.82ac8377ff216p-4,
    -0x1.82ac8377ff216p-3, -0x1.82ac8377ff216p-2, -0x1.82ac8377ff216p-1,
    -0x1.82ac8377ff216p+0, -0x1.82ac8377ff216p+1, 0x1.ee6639887604dp-3,
    0x1.ee6639887604dp-2, 0x1.ee6639887604dp-1, 0x1.ee6639887604dp+0,
    -0x1.35d931000f9e3p+1, 0x1.711a1110cccd4p+0, 0x1.711a1110cccd4p+1,
    -0x1.082d219bb0225p-1, -0x1.082d219bb0225p+0, -0x1.082d219bb0225p+1,
    0x1.13e52751255e7p+1, -0x1.f8ea37cc75cc6p+0, 0x1.2b5532bc0fd6bp+1,
    -0x1.9b2a0a20cbeb6p+0, 0x1.89156067b9b7bp+1, -0x1.214a9b91233b2p-3,
    -0x1.214a9b91233b2p-2, -0x1.214a9b91233b2p-1, -0x1.214a9b91233b2p+0,
    -0x1.214a9b91233b2p+1, 0x1.c35466cc7e59ap+0, -0x1.60eb03bc07497p+1,
    0x1.89a58c41dc40cp-1, 0x1.89a58c41dc40cp+0, 0x1.89a58c41dc40cp+1,
    -0x1.0f45204cd2192p-3, -0x1.0f45204cd2192p-2, -0x1.0f45204cd2192p-1,
    -0x1.0f45204cd2192p+0, -0x1.0f45204cd2192p+1, 0x1.05b529eee170cp+1,
    -0x1.18d516aac2c18p+1, 0x1.e52a7a6600402p+0,
};

inline constexpr double residueLow[] = {
    0.0,
    -0x1.2643605c762f1p-57, -0x1.f003a5a903450p-53, -0x1.4cc11b4920ae8p-57,
    -0x1.4cc11b4920ae8p-56, 0x1.e1947f9043554p-53, -0x1.c66f1d081359ap-55,
    -0x1.c66f1d081359ap-54, -0x1.c66f1d081359ap-53, -0x1.6065ceb66cc97p-55,
    -0x1.6065ceb66cc97p-54, 0x1.ab55ab9c1ed6dp-55, -0x1.eb20c79eca277p-54,
    -0x1.eb20c79eca277p-53, -0x1.60cab403f9f91p-58, -0x1.60cab403f9f91p-57,
    -0x1.60cab403f9f91p-56, -0x1.1b6f34f397eb5p-56, -0x1.1b6f34f397eb5p-55,
    0x1.3d839f23a8898p-53, 0x1.7e60254ee49ebp-56, 0x1.7e60254ee49ebp-55,
    0x1.7e60254ee49ebp-54, -0x1.6cc942274dc45p-54, 0x1.fee10ecf6f246p-59,
    0x1.fee10ecf6f246p-58, 0x1.fee10ecf6f246p-57, 0x1.fee10ecf6f246p-56,
    0x1.fee10ecf6f246p-55, -0x1.35543efad3eebp-53, -0x1.af1dbc98e2e42p-56,
    0x1.5f73ca773bc62p-53, 0x1.e758b6a2061a3p-54, -0x1.35b03f02159adp-55,
    -0x1.984d6479fd323p-55, -0x1.984d6479fd323p-54, 0x1.976ea91bba67bp-56,
    0x1.3540e152f4359p-54, -0x1.ff07ca1f2e969p-54, 0x1.ade7e21ae7526p-56,
    0x1.ade7e21ae7526p-55, 0x1.17955574142a1p-60, 0x1.17955574142a1p-59,
    0x1.17955574142a1p-58, 0x1.17955574142a1p-57, 0x1.17955574142a1p-56,
    0x1.17955574142a1p-55, 0x1.17955574142a1p-54, 0x1.8b437ad3f55e0p-58,
    0x1.8b437ad3f55e0p-57, 0x1.8b437ad3f55e0p-56, 0x1.8b437ad3f55e0p-55,
    -0x1.6f2308f890d1ep-53, -0x1.5302971d2c45bp-54, -0x1.5302971d2c45bp-53,
    0x1.29b05b18df9e2p-56, 0x1.29b05b18df9e2p-55, 0x1.29b05b18df9e2p-54,
    -0x1.4315bd0929c20p-54, 0x1.104af928957a5p-54, -0x1.75e080e9be09ap-54,
    0x1.556ae2ced9d62p-55, -0x1.2085c83607941p-53, 0x1.45f5262caae07p-58,
    0x1.45f5262caae07p-57, 0x1.45f5262caae07p-56, 0x1.45f5262caae07p-55,
    0x1.45f5262caae07p-54, -0x1.0a8c26e1933d7p-54, 0x1.815e2577c2837p-54,
    -0x1.27745096c7eeep-55, -0x1.27745096c7eeep-54, -0x1.27745096c7eeep-53,
    -0x1.d6b3c80daf49ap-60, -0x1.d6b3c80daf49ap-59, -0x1.d6b3c80daf49ap-58,
    -0x1.d6b3c80daf49ap-57, -0x1.d6b3c80daf49ap-56, 0x1.bf17d45f1fae7p-53,
    0x1.496ae25bb3dc1p-53, 0x1.8f351633e671fp-54,
};

} // namespace xla::math

#endif // XLA_CODEGEN_CPU_MATH_TRIGONOMETRICTABLE_H
