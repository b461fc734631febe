// Unpack gzip as it comes in.

/** @typedef {import("./read.js").Chunks} Chunks */
/** @typedef {import("./read.js").Reading} Reading */

/**
 * @param {Chunks} chunks
 * @param {Reading} reading
 * @returns {Chunks}
 */
export async function* gunzip(chunks, reading) {
  const packed = new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
  const reader = packed.pipeThrough(new DecompressionStream("gzip")).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
