package rag

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"
)

// The text of a compressed file counts, and not the size of the file alone.
func TestTextIsBounded(t *testing.T) {
	inflate := func(_ context.Context, data []byte) (*Document, error) {
		return &Document{Text: strings.Repeat("word ", 20*len(data))}, nil
	}
	for size, ok := range map[int]bool{10: true, 11: false} {
		files := fstest.MapFS{"a.zip": {Data: make([]byte, size)}}
		chunks, err := Read(t.Context(), files, &ReadOptions{MaxFileBytes: 1000, Loaders: map[string]Loader{".zip": inflate}})
		if ok != (err == nil) || !ok && (!errors.Is(err, ErrTooLarge) || len(chunks) > 0) {
			t.Errorf("%d bytes: %d chunks, %v", size, len(chunks), err)
		}
	}
}

func TestLoadHTMLEnds(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	page := []byte(strings.Repeat("<p>word", 5000))
	if _, err := loadHTML(ended, page); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if d, err := loadHTML(t.Context(), page); err != nil || len(d.Blocks) != 5000 {
		t.Errorf("%d blocks, %v", len(d.Blocks), err)
	}
}
