package serve_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/serve"
)

// A client that sends a long body before it reads gets the response that refuses it.
func TestRefusedUpload(t *testing.T) {
	agent := qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) { return qed.Answer{Text: "Hello."}, nil })
	for name, tt := range map[string]struct {
		opt    serve.Options
		kind   string
		turns  int // before the upload
		status int
	}{
		"not authenticated": {serve.Options{Caller: func(*http.Request) (context.Context, serve.Caller, error) {
			return nil, serve.Caller{}, errors.New("who is it?")
		}}, "application/json", 0, http.StatusUnauthorized},
		"too many turns": {serve.Options{Turns: rate.Every(time.Hour), Burst: 1}, "application/json", 1, http.StatusTooManyRequests},
		"too large":      {serve.Options{}, "application/json", 0, http.StatusRequestEntityTooLarge},
		"another type":   {serve.Options{}, "text/csv", 0, http.StatusUnsupportedMediaType},
	} {
		for how, pause := range map[string]time.Duration{"fast": 0, "slow": 100 * time.Millisecond} {
			for _, chunked := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/chunked=%v", name, how, chunked), func(t *testing.T) {
					t.Parallel()
					url, _ := newServer(t, agent, &tt.opt)
					for range tt.turns {
						send(t, "POST", url+"/internal/chat/stream", chat("", "hello"))
					}
					resp := upload(t, strings.TrimPrefix(url, "http://"), tt.kind, chunked, pause)
					defer resp.Body.Close()
					body, err := io.ReadAll(resp.Body)
					if err != nil || resp.StatusCode != tt.status || !strings.Contains(string(body), `"error":`) {
						t.Errorf("status %d, want %d; %v: %s", resp.StatusCode, tt.status, err, body)
					}
				})
			}
		}
	}
}

// upload sends 20 MiB in parts and then reads the response.
func upload(t *testing.T, address, kind string, chunked bool, pause time.Duration) *http.Response {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	const parts = 20
	part := strings.Repeat("0123456789abcdef", 1<<16)
	header, form := fmt.Sprintf("Content-Length: %d", parts*len(part)), "%[2]s"
	if chunked {
		header, form = "Transfer-Encoding: chunked", "%[1]x\r\n%[2]s\r\n"
	}
	_, err = fmt.Fprintf(conn, "POST /internal/chat/stream HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\n%s\r\n\r\n", kind, header)
	for range parts {
		if err == nil {
			_, err = fmt.Fprintf(conn, form, len(part), part)
			time.Sleep(pause)
		}
	}
	if err == nil && chunked {
		_, err = io.WriteString(conn, "0\r\n\r\n")
	}
	if err != nil {
		t.Fatalf("the connection broke before the client could read: %v", err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// A body without an end is not read to its end.
func TestRefusedUploadIsBounded(t *testing.T) {
	url, _ := newServer(t, qed.AgentFunc(func(context.Context, qed.Turn) (qed.Answer, error) { return qed.Answer{}, nil }), nil)
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, err = io.WriteString(conn, "POST /agui HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nTransfer-Encoding: chunked\r\n\r\n")
	part := "100000\r\n" + strings.Repeat("0123456789abcdef", 1<<16) + "\r\n"
	sent := 0
	for ; err == nil && sent < 1000; sent++ {
		_, err = io.WriteString(conn, part)
	}
	if err == nil {
		t.Errorf("%d MiB were read", sent)
	}
}
