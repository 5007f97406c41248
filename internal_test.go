package qed

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/qedkit/qed/internal/usertext/usertexttest"
)

// TestPanicInTogether panics outside the functions of a host, where it would end the host's process.
func TestPanicInTogether(t *testing.T) {
	boom := errors.New("boom")
	var both sync.WaitGroup // one of them is on a goroutine of its own
	both.Add(2)
	err := together(t.Context(), 2, 2, func(context.Context, int) error {
		both.Done()
		both.Wait()
		panic(boom)
	})
	if !isPanic(err) || !errors.Is(err, boom) {
		t.Errorf("error = %v, want a panic of %v", err, boom)
	}
}

// Each code of a failed turn has a text of its own, and any other error has one
// that does not show the error.
func TestFailedTexts(t *testing.T) {
	for _, language := range []string{"en", "de"} {
		texts := textTable.In(t.Context(), language)
		hosts := map[string]bool{"model_auth": true, "model_quota": true, "model_bad_request": true}
		for _, c := range codes {
			f := texts.failed(c.err, nil, time.Time{})
			usertexttest.Text(t, language+" "+c.code, f.Message)
			if f.Code != c.code || f.Message == texts.Failed != hosts[c.code] {
				t.Errorf("%s %s: code %q, message %q", language, c.code, f.Code, f.Message)
			}
		}
		if f := texts.failed(errors.New("pq: SQLSTATE 42P01"), nil, time.Time{}); f.Code != "" || f.Message != texts.Failed {
			t.Errorf("another error: %+v", f)
		}
	}
}
