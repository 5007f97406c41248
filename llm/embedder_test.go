package llm_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/retry"
)

var fast = retry.Policy{Wait: -1}

// An embedder returns the length of a text as its vector, after its errors.
type embedder struct {
	mu    sync.Mutex
	fails []error
	sent  [][]string
}

func (e *embedder) Embed(_ context.Context, texts []string) ([][]float32, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sent = append(e.sent, slices.Clone(texts))
	if len(e.fails) > 0 {
		err := e.fails[0]
		e.fails = e.fails[1:]
		return nil, err
	}
	var vectors [][]float32
	for _, text := range texts {
		vectors = append(vectors, []float32{float32(len(text)), 1})
	}
	return vectors, nil
}

func TestRetryEmbedder(t *testing.T) {
	busy, wrong := &llm.Error{Kind: llm.ErrRateLimit}, &llm.Error{Kind: llm.ErrAuth}
	for name, test := range map[string]struct {
		fails []error
		calls int
		err   error
	}{
		"at once":   {nil, 1, nil},
		"later":     {[]error{busy, busy}, 3, nil},
		"for ever":  {[]error{busy, busy, busy, busy, busy}, 4, busy},
		"wrong key": {[]error{wrong}, 1, wrong},
		"cancelled": {[]error{context.Canceled}, 1, context.Canceled},
	} {
		inner := &embedder{fails: test.fails}
		vectors, err := llm.RetryEmbedder(inner, policy(fast)).Embed(t.Context(), []string{"ab"})
		if err != test.err || len(inner.sent) != test.calls || (err == nil) != (len(vectors) == 1) {
			t.Errorf("%s: got %v, %v after %d calls", name, vectors, err, len(inner.sent))
		}
	}
}

func TestTraceEmbedder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := &llm.Error{Kind: llm.ErrRateLimit}
		inner := &embedder{fails: []error{busy}}
		slow := llm.EmbedderFunc(func(ctx context.Context, texts []string) ([][]float32, error) {
			time.Sleep(time.Second) // by the clock of the test
			return inner.Embed(ctx, texts)
		})
		var calls []llm.EmbedCall
		e := llm.TraceEmbedder(slow, func(_ context.Context, c llm.EmbedCall) { calls = append(calls, c) })
		start := time.Now()
		for range 2 {
			e.Embed(t.Context(), []string{"ab"})
		}
		want := []llm.EmbedCall{
			{Texts: []string{"ab"}, Err: busy, Start: start, Duration: time.Second},
			{Texts: []string{"ab"}, Start: start.Add(time.Second), Duration: time.Second},
		}
		if diff := cmp.Diff(want, calls, cmp.Comparer(func(a, b error) bool { return a == b })); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}

// TestCacheEmbedder: only texts that are not known are sent, once each, and the
// vectors are the caller's own.
func TestCacheEmbedder(t *testing.T) {
	inner := &embedder{}
	e := llm.CacheEmbedder(inner, 3)
	embed := func(texts ...string) {
		t.Helper()
		vectors, err := e.Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		want := make([][]float32, 0, len(texts))
		for _, text := range texts {
			want = append(want, []float32{float32(len(text)), 1})
		}
		if diff := cmp.Diff(want, vectors); diff != "" {
			t.Errorf("%q (-want +got)\n%s", texts, diff)
		}
		for _, v := range vectors {
			v[0] = -1 // the next call must not see it
		}
	}
	embed("a", "bb", "a")
	embed("bb", "ccc", "a")
	embed("a", "bb")
	embed()
	embed("dddd") // ccc is the oldest
	embed("ccc")
	want := [][]string{{"a", "bb"}, {"ccc"}, {"dddd"}, {"ccc"}}
	if diff := cmp.Diff(want, inner.sent); diff != "" {
		t.Errorf("sent (-want +got)\n%s", diff)
	}
}

func TestCacheEmbedderFailures(t *testing.T) {
	busy := &llm.Error{Kind: llm.ErrRateLimit}
	inner := &embedder{fails: []error{busy}}
	e := llm.CacheEmbedder(inner, 3)
	if _, err := e.Embed(t.Context(), []string{"a"}); err != busy {
		t.Errorf("got %v", err)
	}
	if v, err := e.Embed(t.Context(), []string{"a"}); err != nil || len(v) != 1 {
		t.Errorf("got %v, %v after a failure", v, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v from the cache, want the cancellation", err)
	}
	short := llm.CacheEmbedder(llm.EmbedderFunc(func(context.Context, []string) ([][]float32, error) { return [][]float32{{1}}, nil }), 3)
	if _, err := short.Embed(t.Context(), []string{"a", "b"}); !errors.Is(err, llm.ErrProtocol) {
		t.Errorf("got %v for a vector too few", err)
	}
}

func TestEmbedderPanics(t *testing.T) {
	for name, wrap := range map[string]func(llm.Embedder){
		"cache": func(e llm.Embedder) { llm.CacheEmbedder(e, 0) },
		"retry": func(e llm.Embedder) { llm.RetryEmbedder(e, policy(retry.Policy{Attempts: -1})) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: a wrong option is accepted", name)
				}
			}()
			wrap(&embedder{})
		}()
	}
}

func ExampleCacheEmbedder() {
	model := llm.EmbedderFunc(func(_ context.Context, texts []string) ([][]float32, error) {
		fmt.Printf("sent %q\n", texts)
		return make([][]float32, len(texts)), nil
	})
	embedder := llm.CacheEmbedder(llm.RetryEmbedder(model, nil), 10_000)
	embedder.Embed(context.Background(), []string{"crew", "invoice"})
	embedder.Embed(context.Background(), []string{"invoice", "customer"})
	// Output:
	// sent ["crew" "invoice"]
	// sent ["customer"]
}

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

// BenchmarkEmbeddingCache reads a vector of 384 dimensions from a file.
func BenchmarkEmbeddingCache(b *testing.B) {
	e, err := llm.CacheEmbedderFiles(llm.EmbedderFunc(func(_ context.Context, texts []string) ([][]float32, error) {
		return [][]float32{make([]float32, 384)}, nil
	}), b.TempDir(), "model")
	if err != nil {
		b.Fatal(err)
	}
	texts := []string{strings.Repeat("a text of a chunk ", 70)}
	if _, err := e.Embed(b.Context(), texts); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Embed(b.Context(), texts); err != nil {
			b.Fatal(err)
		}
	}
}
