package integration

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// drawScript draws specs with the Vega-Lite of npm.
//
//go:embed testdata/vega/draw.mjs
var drawScript string

// Drawn is what Vega made of a spec.
type Drawn struct {
	SVG      string
	Warnings []string // of Vega-Lite and Vega
	Error    string
}

// VegaLite returns the directory with the npm packages that .ci/engines installs.
// The test is skipped if they are missing.
func VegaLite(tb testing.TB) string {
	tb.Helper()
	return packages(tb, "Vega-Lite", "vega-lite-6.4.3")
}

// packages returns a directory with npm packages.
func packages(tb testing.TB, name, directory string) string {
	tb.Helper()
	home := cached(directory)
	if _, err := os.Stat(home); err != nil {
		missing(tb, name, err, ".ci/engines")
	}
	if _, err := program("node"); err != nil {
		missing(tb, "Node.js", err, ".ci/engines")
	}
	return home
}

// Sequelize returns the directory with the npm packages that .ci/engines installs: Sequelize
// and its drivers. The test is skipped if they are missing.
func Sequelize(tb testing.TB) string {
	tb.Helper()
	return packages(tb, "Sequelize", "sequelize-6.37.8")
}

// Draw draws Vega-Lite specs with Node.js, in order.
func Draw(tb testing.TB, specs []json.RawMessage) []Drawn {
	tb.Helper()
	home := VegaLite(tb)
	in, err := json.Marshal(specs)
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(tb.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "--input-type=module", "-e", drawScript)
	cmd.Dir = home // where imports are found
	cmd.Stdin = bytes.NewReader(in)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		tb.Fatalf("node: %v: %s", err, stderr.String())
	}
	var out []Drawn
	if err := json.Unmarshal(stdout.Bytes(), &out); err != nil || len(out) != len(specs) {
		tb.Fatalf("node: %d of %d specs: %v", len(out), len(specs), err)
	}
	return out
}

// Browse opens a page in Chromium and returns its elements after its scripts ran,
// and what it wrote to the console. The test is skipped if Chromium is missing.
func Browse(tb testing.TB, address string, dark bool) (dom, console string) {
	tb.Helper()
	path, err := program("chromium")
	if err != nil {
		missing(tb, "Chromium", err, ".ci/engines")
	}
	scheme := 1
	if dark {
		scheme = 0
	}
	ctx, cancel := context.WithTimeout(tb.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path,
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--user-data-dir="+tb.TempDir(), "--enable-logging=stderr", "--virtual-time-budget=60000",
		fmt.Sprintf("--blink-settings=preferredColorScheme=%d", scheme), "--dump-dom", address)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		tb.Fatalf("chromium: %v: %s", err, stderr.String())
	}
	for line := range bytes.Lines(stderr.Bytes()) {
		if _, text, ok := bytes.Cut(line, []byte(":CONSOLE:")); ok {
			console += string(text)
		}
	}
	return stdout.String(), console
}
