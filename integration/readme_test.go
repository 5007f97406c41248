package integration_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// TestReadmePrograms compiles every Go program in the README.
func TestReadmePrograms(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	programs := regexp.MustCompile("(?s)```go\n(package main\n.*?)```").FindAllSubmatch(text, -1)
	if len(programs) == 0 {
		t.Fatal("the README has no program")
	}
	for i, p := range programs {
		t.Run(fmt.Sprint(i+1), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "main.go")
			if err := os.WriteFile(file, p[1], 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command("go", "vet", file).CombinedOutput(); err != nil {
				t.Errorf("the program does not compile: %v\n%s\n%s", err, out, p[1])
			}
		})
	}
}
