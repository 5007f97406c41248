package qed

import (
	"errors"
	"testing"
	"time"

	"github.com/qedkit/qed/internal/usertext/usertexttest"
)

func TestTexts(t *testing.T) { usertexttest.Tables(t, shippedTexts) }

// Each code of a failed turn has a text of its own, and any other error has one
// that does not show the error.
func TestFailedTexts(t *testing.T) {
	for language, texts := range defaultTexts {
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
