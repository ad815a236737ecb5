// What a program on node's `ws` does for media: `send PORT FILE [CA]` or `receive PORT FILE [CA]`.
const fs = require("fs");
const WebSocket = require("ws");

const PART = 3 << 20;
const [what, port, path, authority] = process.argv.slice(2);
const options = { perMessageDeflate: false, maxPayload: 0, ca: authority && fs.readFileSync(authority) };
const socket = new WebSocket(`${authority ? "wss" : "ws"}://127.0.0.1:${port}/ws`, options);

function send() {
  const file = fs.openSync(path, "r");
  const size = fs.fstatSync(file).size;
  const parts = Math.max(1, Math.ceil(size / PART));
  const next = (part) => {
    if (part === parts) return socket.ping();
    const bytes = Buffer.alloc(Math.min(PART, size - part * PART));
    fs.readSync(file, bytes, 0, bytes.length, part * PART);
    socket.send(JSON.stringify({
      t: "media", id: "bench", kind: "document", mime: "application/octet-stream", filename: "sent.bin",
      part, parts, data: bytes.toString("base64"),
    }), () => next(part + 1));
  };
  socket.on("pong", () => socket.close());
  next(0);
}

function receiver() {
  const file = fs.openSync(path, "w");
  const held = new Set();
  return (frame) => {
    const bytes = Buffer.from(frame.data, "base64");
    fs.writeSync(file, bytes, 0, bytes.length, frame.part * PART);
    held.add(frame.part);
    if (held.size === frame.parts) socket.close();
  };
}

const take = what === "receive" ? receiver() : () => {};
socket.on("open", () => socket.send(JSON.stringify({ t: "hello", v: 1, token: "", device: { id: "bench" }, user: {} })));
socket.on("message", (text) => {
  const frame = JSON.parse(text);
  if (frame.t === "ready" && what === "send") send();
  if (frame.t === "media") take(frame);
});
