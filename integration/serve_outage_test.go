package integration_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"golang.org/x/time/rate"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/internal/poll"
	"github.com/qedkit/qed/serve"
	"github.com/qedkit/qed/store/sqlstore"
)

// slowWriter writes the words of streamedText for 18 seconds.
func slowWriter(ctx context.Context, _ qed.Turn) (a qed.Answer, err error) {
	for i := range streamedWords {
		select {
		case <-time.After(300 * time.Millisecond):
		case <-ctx.Done():
			return a, ctx.Err()
		}
		word := fmt.Sprintf("word%d ", i)
		a.Text += word
		qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: word})
	}
	return a, nil
}

// The PostgreSQL server of the conversations is paused, or killed, while turns stream,
// and comes back. The readers of the turns get everything, whether they are connected
// to the process of the turn or to another one. Other requests end in time.
func TestServeDuringAnOutage(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for an outage")
	}
	for name, outage := range map[string]func(*testing.T, *integration.PostgreSQLServer) (end func() error){
		"paused": func(t *testing.T, s *integration.PostgreSQLServer) func() error {
			if err := s.Pause(true); err != nil {
				t.Fatal(err)
			}
			return func() error { return s.Pause(false) }
		},
		"killed": func(_ *testing.T, s *integration.PostgreSQLServer) func() error {
			s.Kill()
			return s.Start
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testServeDuringAnOutage(t, outage)
		})
	}
}

func testServeDuringAnOutage(t *testing.T, outage func(*testing.T, *integration.PostgreSQLServer) func() error) {
	server := integration.PostgreSQLOwn(t, "fsync=on", "full_page_writes=on")
	var urls []string
	var handlers []*serve.Handler
	var closers []func()
	for range 2 {
		db := sql.OpenDB(stdlib.GetConnector(*server.Config()))
		st, err := sqlstore.New(t.Context(), db, sqlstore.PostgreSQL, nil)
		if err != nil {
			t.Fatal(err)
		}
		agent := qed.Durable(qed.AgentFunc(slowWriter), st, nil)
		h := serve.New(agent, &serve.Options{Store: st, Rejoin: true, Turns: rate.Inf, Logger: slog.New(slog.DiscardHandler)})
		s := httptest.NewServer(h)
		closers = append(closers, func() { s.Close(); st.Close(); db.Close() })
		urls, handlers = append(urls, s.URL), append(handlers, h)
	}
	readers := make([]*streamReader, 4)
	ended := make(chan error, 2*len(readers))
	for i := range readers {
		readers[i] = &streamReader{conversation: fmt.Sprintf("conversation %d", i)}
		go func() { ended <- readers[i].read(t.Context(), urls[0]) }()
	}
	time.Sleep(3 * time.Second)
	others := make([]*streamReader, len(readers))
	for i := range others {
		others[i] = &streamReader{conversation: readers[i].conversation, rejoins: true}
		go func() { ended <- others[i].read(t.Context(), urls[1]) }()
	}
	time.Sleep(time.Second)
	end := outage(t, server)
	down := time.Now()
	for method, path := range map[string]string{"GET": "/conversations", "DELETE": "/conversations/other"} {
		start := time.Now()
		r, err := http.NewRequestWithContext(t.Context(), method, urls[1]+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if took := time.Since(start); resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" || took > 16*time.Second {
			t.Errorf("%s %s after %v: %s %s", method, path, took, resp.Status, body)
		}
	}
	time.Sleep(7*time.Second - time.Since(down))
	if err := end(); err != nil {
		t.Fatal(err)
	}
	for range cap(ended) {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	for i, r := range append(readers, others...) {
		if got := r.text.String(); got != streamedText() || !r.complete {
			t.Errorf("reader %d: complete is %v, and the text is %q", i, r.complete, got)
		}
	}
	poll.Until(t, "the conversations are listed", func() bool {
		resp, err := http.Get(urls[1] + "/conversations")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return strings.Count(string(body), `"answered"`) == len(readers)
	})
	limit, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	for i, h := range handlers {
		if err := h.Shutdown(limit); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		closers[i]()
	}
}
