package integration

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// localModel is the server of a real language model.
var localModel struct {
	once sync.Once
	url  string
	err  error
}

// LocalModel returns the URL of a server with a real, small language model and OpenAI's
// API: that of QED_MODEL_URL, or one that the program in QED_MODEL_SERVER starts, which
// gets a port and prints "ready". It may also be ../shared/tools/llm_server.py next to the
// repository. Without one the test is skipped.
func LocalModel(tb testing.TB) string {
	tb.Helper()
	localModel.once.Do(func() { localModel.url, localModel.err = startModel() })
	if localModel.err != nil {
		absent(tb, "a language model", localModel.err, "a server with OpenAI's API, and QED_MODEL_URL=http://127.0.0.1:8080/v1")
	}
	return localModel.url
}

func startModel() (string, error) {
	if url := os.Getenv("QED_MODEL_URL"); url != "" {
		return url, nil
	}
	server := os.Getenv("QED_MODEL_SERVER")
	if server == "" {
		server = filepath.Join("..", "..", "shared", "tools", "llm_server.py")
	}
	if _, err := os.Stat(server); err != nil || noEngines() {
		return "", errors.New("QED_MODEL_URL and QED_MODEL_SERVER are not set")
	}
	port, err := freePort()
	if err != nil {
		return "", err
	}
	cmd := exec.Command("python3", server, fmt.Sprint(port), "smol", "8192")
	cmd.Env = append(os.Environ(), "LLM_SEED=1", "LLM_THREADS=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	running.add(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	ready := make(chan error, 1)
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "ready") {
				ready <- nil
				for lines.Scan() { // so that the server never waits for a reader
				}
				return
			}
		}
		ready <- errors.New("the server of the model ended before it was ready")
	}()
	select {
	case err = <-ready:
	case <-time.After(3 * time.Minute):
		err = errors.New("the server of the model was not ready within 3 minutes")
	}
	return fmt.Sprintf("http://127.0.0.1:%d/v1", port), err
}
