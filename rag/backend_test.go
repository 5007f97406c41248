package rag_test

import (
	"testing"

	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/rag/ragtest"
)

func TestMemoryBackend(t *testing.T) {
	ragtest.Run(t, func(*testing.T) rag.Backend { return rag.NewMemory() })
}
