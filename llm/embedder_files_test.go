package llm_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/llm"
)

// TestCacheEmbedderFiles: a text is embedded once by all programs that share a
// folder, each model has its own vectors, and damaged files are replaced.
func TestCacheEmbedderFiles(t *testing.T) {
	dir := t.TempDir()
	inner := &embedder{}
	open := func(model string) llm.Embedder {
		t.Helper()
		e, err := llm.CacheEmbedderFiles(inner, dir, model)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	embed := func(e llm.Embedder, texts ...string) {
		t.Helper()
		vectors, err := e.Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range texts {
			if diff := cmp.Diff([]float32{float32(len(text)), 1}, vectors[i]); diff != "" {
				t.Errorf("%q (-want +got)\n%s", text, diff)
			}
		}
	}
	inner.fails = []error{&llm.Error{Kind: llm.ErrRateLimit}}
	if _, err := open("a").Embed(t.Context(), []string{"x"}); !errors.Is(err, llm.ErrRateLimit) {
		t.Errorf("the error is %v", err)
	}
	embed(open("a"), "x", "yy", "x")
	embed(open("a"), "yy", "zzz")
	embed(open("b"), "x")
	want := [][]string{{"x"}, {"x", "yy"}, {"zzz"}, {"x"}}
	if diff := cmp.Diff(want, inner.sent); diff != "" {
		t.Errorf("sent (-want +got)\n%s", diff)
	}
	var paths []string
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if !d.IsDir() {
			paths = append(paths, path)
		}
		return err
	})
	if len(paths) != 4 {
		t.Errorf("the files are %v", paths)
	}
	for i, path := range paths {
		damage := [][]byte{nil, {1, 2, 3}, make([]byte, 12), {0, 0, 0, 0, 0, 0, 0, 0, 1}}[i]
		if err := os.WriteFile(path, damage, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	inner.sent = nil
	embed(open("a"), "x", "yy", "zzz")
	embed(open("a"), "x", "yy", "zzz")
	if diff := cmp.Diff([][]string{{"x", "yy", "zzz"}}, inner.sent); diff != "" {
		t.Errorf("sent after the damage (-want +got)\n%s", diff)
	}
	if _, err := llm.CacheEmbedderFiles(inner, dir, ""); err == nil {
		t.Error("a cache without a model is accepted")
	}
	if _, err := llm.CacheEmbedderFiles(inner, paths[0], "a"); err == nil {
		t.Error("a file in place of the folder is accepted")
	}
}
