package rag_test

import (
	"path/filepath"
	"testing"

	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/rag/ragtest"
)

func TestMemoryBackend(t *testing.T) {
	ragtest.Run(t, func(*testing.T) rag.Backend { return rag.NewMemory() })
}

func TestMemoryFileBackend(t *testing.T) {
	ragtest.Run(t, func(t *testing.T) rag.Backend {
		m, _ := openMemory(t, filepath.Join(t.TempDir(), "index"), nil)
		t.Cleanup(func() { m.Close() })
		return m
	})
}
