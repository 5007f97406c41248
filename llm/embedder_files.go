package llm

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
)

// CacheEmbedderFiles keeps all vectors of e in files below the folder dir, so that
// no text is embedded twice, whatever happens to the program. A file has the name of
// the SHA-256 of the model and the text, and holds one vector. Programs can share
// the folder. Old files can be deleted at any time.
//
// model is the name of the model; vectors of another model are not used. Only texts
// without a vector are sent, each of them once. Failures are not cached. A file that
// is damaged is replaced, and a file that cannot be written is no error: the text is
// embedded again next time.
//
// CacheEmbedderFiles returns an error if model is empty or dir cannot be created.
func CacheEmbedderFiles(e Embedder, dir, model string) (Embedder, error) {
	if model == "" {
		return nil, errors.New("llm: CacheEmbedderFiles needs the name of the model")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("llm: CacheEmbedderFiles: %w", err)
	}
	c := embeddingFiles{dir, model}
	return EmbedderFunc(func(ctx context.Context, texts []string) ([][]float32, error) {
		return embedMissing(ctx, e, texts, c.get, c.add)
	}), nil
}

// embeddingFiles is a folder with vectors. A file has the dimensions, each as 4 bytes
// in little-endian order, and their CRC-32.
type embeddingFiles struct{ dir, model string }

func (c embeddingFiles) path(text string) string {
	sum := sha256.Sum256([]byte(c.model + "\x00" + text))
	name := hex.EncodeToString(sum[:])
	return filepath.Join(c.dir, name[:2], name)
}

func (c embeddingFiles) get(text string) ([]float32, bool) {
	raw, err := os.ReadFile(c.path(text))
	if err != nil || len(raw) < 8 || len(raw)%4 != 0 {
		return nil, false
	}
	body := raw[:len(raw)-4]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(raw[len(body):]) {
		return nil, false
	}
	v := make([]float32, len(body)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(body[4*i:]))
	}
	return v, true
}

func (c embeddingFiles) add(text string, v []float32) {
	raw := make([]byte, 0, 4*len(v)+4)
	for _, f := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(f))
	}
	raw = binary.LittleEndian.AppendUint32(raw, crc32.ChecksumIEEE(raw))
	path := c.path(text)
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	// A reader must see all of a file or none of it.
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return
	}
	_, err = f.Write(raw)
	if errors.Join(err, f.Close()) != nil || os.Rename(f.Name(), path) != nil {
		os.Remove(f.Name())
	}
}
