// A floor gateway on the node library `ws`, with nothing of the Python ones.
'use strict';
const crypto = require('crypto');
const fs = require('fs');
const http = require('http');
const https = require('https');
const path = require('path');
const util = require('util');
const { WebSocketServer } = require('ws');

const partBytes = 3 << 20;
const { values: options } = util.parseArgs({
  options: {
    token: { type: 'string', default: 'secret' },
    tls: { type: 'string' }, // the certificate; the key is the argument behind it
    'media-dir': { type: 'string' },
    'max-message': { type: 'string' },
    'drop-after-part': { type: 'string' },
    send: { type: 'string' },
    'send-url': { type: 'string' },
  },
  allowPositionals: true,
});
const keyFile = options.tls && process.argv[process.argv.indexOf('--tls') + 2];
const sentId = crypto.randomUUID();
let hasDropped = false;

const tell = (line) => console.log(JSON.stringify(line));

class Session {
  constructor(socket, connection, isAdmitted) {
    Object.assign(this, { socket, connection, isAdmitted, isReady: false, isOver: false, media: new Map() });
    socket.on('message', (bytes) => this.take(JSON.parse(bytes.toString())));
    socket.on('error', (error) => tell({ ended: error.message }));
    socket.on('close', (code) => tell({ closed: code }));
  }

  send(frame) { this.socket.send(JSON.stringify(frame)); }

  take(frame) {
    if (this.isOver) return; // what the library still had
    if (!this.isReady && frame.t !== 'hello') return this.socket.close(1008, 'hello comes first');
    switch (frame.t) {
      case 'hello': return this.hello(frame);
      case 'media': return this.part(frame);
      case 'text':
        tell({ text: frame.text, id: frame.id });
        return this.send({ t: 'message', id: `re-${frame.id}`, text: frame.text });
      case 'prompt':
        tell({ prompt: frame.prompt_id, option: frame.option_id, text: frame.text ?? null });
        return this.send({ t: 'prompt_done', id: frame.prompt_id, option_id: frame.option_id });
    }
  }

  hello(frame) {
    if (!this.isAdmitted && frame.token !== options.token) return this.socket.close(1008, 'access denied');
    this.isReady = true;
    tell({ hello: frame.device.id, platform: frame.device.platform, v: frame.v });
    this.send({ t: 'ready' });
    if (options.send || options['send-url']) this.sendMedia();
  }

  part(frame) {
    let known = this.media.get(frame.id);
    if (!known || known.count !== frame.parts) {
      known = { count: frame.parts, bytes: new Map(), caption: null };
      this.media.set(frame.id, known);
    }
    known.bytes.set(frame.part, Buffer.from(frame.data, 'base64'));
    known.caption = frame.caption ?? known.caption;
    tell({ part: frame.part, parts: frame.parts, id: frame.id });
    if (known.bytes.size === known.count) this.store(frame, known);
    if (frame.part === Number(options['drop-after-part'] ?? -1) && !hasDropped) {
      hasDropped = true;
      this.isOver = true;
      tell({ drop: frame.part });
      this.connection.destroy();
    }
  }

  store(frame, known) {
    this.media.delete(frame.id);
    const whole = Buffer.concat(Array.from({ length: known.count }, (_, index) => known.bytes.get(index)));
    fs.writeFileSync(path.join(options['media-dir'], `${frame.id.replace(/[^A-Za-z0-9-]/g, '_')}.bin`), whole);
    tell({
      media: frame.id, bytes: whole.length, sha256: crypto.createHash('sha256').update(whole).digest('hex'),
      kind: frame.kind, mime: frame.mime, filename: frame.filename ?? null, caption: known.caption,
    });
  }

  sendMedia() {
    const head = {
      t: 'media', id: sentId, kind: 'document', mime: 'application/octet-stream',
      filename: path.basename(options.send ?? options['send-url']),
    };
    const caption = 'from the gateway';
    if (options['send-url']) return this.send({ ...head, url: options['send-url'], caption });
    const whole = fs.readFileSync(options.send);
    const parts = Math.max(1, Math.ceil(whole.length / partBytes));
    for (let part = 0; part < parts; part++) {
      const data = whole.subarray(part * partBytes, (part + 1) * partBytes).toString('base64');
      const isEdge = part === 0 || part === parts - 1;
      this.send({ ...head, ...(isEdge ? { caption } : {}), part, parts, data });
    }
  }
}

const server = options.tls
  ? https.createServer({ cert: fs.readFileSync(options.tls), key: fs.readFileSync(keyFile) })
  : http.createServer();
const limit = options['max-message'] ? { maxPayload: Number(options['max-message']) } : {};
const sockets = new WebSocketServer({ noServer: true, ...limit });

function refuse(connection, status) {
  connection.end(`HTTP/1.1 ${status}\r\nContent-Length: 14\r\nConnection: close\r\n\r\naccess denied\n`);
}

server.on('upgrade', (request, connection, head) => {
  const url = new URL(request.url, 'http://127.0.0.1');
  const token = url.searchParams.get('token');
  if (url.pathname !== '/ws') return refuse(connection, '404 Not Found');
  if (token !== null && token !== options.token) return refuse(connection, '403 Forbidden');
  sockets.handleUpgrade(request, connection, head, (socket) => new Session(socket, connection, token !== null));
});
server.listen(0, '127.0.0.1', () => tell({ port: server.address().port }));
