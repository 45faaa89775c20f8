// The search of the site runs in a worker, which browsers refuse to pages that are opened from a folder. There, this
// runs it in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      this.inside = frame.contentWindow;
      this.loaded = new Promise((done) => frame.addEventListener("load", done, { once: true }));
      window.addEventListener("message", ({ source, data }) => source === this.inside && this.hear(data));
      const page = this.inside.document;
      page.open();
      page.write(`<script>postMessage = (data) => parent.postMessage(data, "*")</script><script src="${url}"></script>`);
      page.close();
    }

    hear(data) {
      const message = new MessageEvent("message", { data });
      this.dispatchEvent(message);
      this.onmessage?.(message);
    }

    postMessage(data) {
      this.loaded.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
