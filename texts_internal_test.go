package qed

import (
	"errors"
	"testing"

	"github.com/qedkit/qed/internal/usertext/usertexttest"
)

func TestTexts(t *testing.T) { usertexttest.Tables(t, shippedTexts) }

// Each code of a failed turn has a text of its own, and any other error has one
// that does not show the error.
func TestFailedTexts(t *testing.T) {
	for language, texts := range defaultTexts {
		seen := map[string]string{}
		for _, c := range codes {
			f := texts.failed(c.err)
			usertexttest.Text(t, language+" "+c.code, f.Message)
			if other, taken := seen[f.Message]; f.Code != c.code || f.Message == texts.Failed || taken && other != c.code {
				t.Errorf("%s %s: code %q, message %q", language, c.code, f.Code, f.Message)
			}
			seen[f.Message] = c.code
		}
		if f := texts.failed(errors.New("pq: SQLSTATE 42P01")); f.Code != "" || f.Message != texts.Failed {
			t.Errorf("another error: %+v", f)
		}
	}
}
