import { XzReadableStream } from "xz-decompress";
import { ZSTDDecoder } from "zstddec/stream";

/** The functions of libzstd (zstd.h). Contexts and buffers are addresses in its memory. */
interface Zstd {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly malloc: (size: number) => number;
  readonly free: (address: number) => void;
  readonly ZSTD_createDCtx: () => number;
  readonly ZSTD_freeDCtx: (context: number) => void;
  readonly ZSTD_decompressStream: (context: number, output: number, input: number) => number;
}

let zstd: Zstd | undefined;

/** Gives access to the functions, because `decodeStreaming` ignores errors and then never frees its memory. */
class ZstdLoader extends ZSTDDecoder {
  override _init(loaded: Parameters<ZSTDDecoder["_init"]>[0]): void {
    const { exports } = loaded.instance;
    if (isZstd(exports)) zstd = exports;
    super._init(loaded);
  }
}

function isZstd(exports: object): exports is Zstd {
  return "ZSTD_decompressStream" in exports;
}

const pieceBytes = 128 * 1024;
/** A buffer for libzstd is a struct of an address, a size and a position. */
const structBytes = 12;

/** A dictionary has up to 128 MiB, so use one at a time. Each part is valid until the next one is requested. */
export async function* decompressZstd(whole: Buffer): AsyncGenerator<Buffer, undefined> {
  await new ZstdLoader().init();
  if (zstd === undefined) throw new Error("zstd was not loaded.");
  const { memory, malloc, free, ZSTD_createDCtx, ZSTD_freeDCtx, ZSTD_decompressStream } = zstd;
  const context = ZSTD_createDCtx();
  const input = malloc(2 * structBytes + 2 * pieceBytes);
  const output = input + structBytes;
  const [source, target] = [output + structBytes, output + structBytes + pieceBytes];
  const word = (address: number): Uint32Array => new Uint32Array(memory.buffer, address, 3);
  let status = 0;
  try {
    for (let start = 0; start < whole.length; start += pieceBytes) {
      const piece = whole.subarray(start, start + pieceBytes);
      new Uint8Array(memory.buffer).set(piece, source);
      word(input).set([source, piece.length, 0]);
      let hasMore = true;
      while (hasMore) {
        word(output).set([target, pieceBytes, 0]);
        status = ZSTD_decompressStream(context, output, input);
        if (status < 0) throw new Error(`zstd error ${-status}`);
        const decoded = word(output)[2] ?? 0;
        yield Buffer.from(memory.buffer, target, decoded);
        hasMore = (word(input)[2] ?? 0) < piece.length || (decoded === pieceBytes && status !== 0);
      }
    }
    if (status !== 0) throw new Error("The zstd data ends too early.");
  } finally {
    ZSTD_freeDCtx(context);
    free(input);
  }
}

/** The dictionary has at most 64 MiB, the package's own limit. */
export async function* decompressXz(whole: Buffer): AsyncGenerator<Buffer, undefined> {
  for await (const { buffer } of new XzReadableStream(new Blob([new Uint8Array(whole)]).stream()))
    yield Buffer.from(buffer);
}
