package postgresdb

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/qedkit/qed/sqldb"
)

// Whatever a session contains, begin sends letters and digits only, and the
// same text for the same session.
func TestBegin(t *testing.T) {
	hostile := `'"\;--/**/$$` + "\n Zoë 🎉"
	q := &sqldb.Query{Tag: "TAG", Timeout: 1500 * time.Millisecond, Session: &sqldb.Session{
		Settings:   map[string]any{"app.key": hostile, "app.b": []byte(hostile), "app.c": true, "app.d": 1.5, "app.e": nil},
		Role:       hostile,
		SearchPath: []string{hostile, "public"},
	}}
	first, err := begin(q, q.Timeout, []string{hostile})
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if again, _ := begin(q, q.Timeout, []string{hostile}); again != first {
			t.Fatal("the text is not always the same")
		}
	}
	if strings.ContainsAny(first, "\"\\\n$") || strings.ContainsFunc(first, func(r rune) bool { return r >= utf8.RuneSelf }) || strings.Contains(first, "--") {
		t.Error(first)
	}
}

// No time limit becomes 0, which would mean no limit.
func TestBeginTimeout(t *testing.T) {
	for _, test := range []struct {
		timeout time.Duration
		want    string
	}{
		{0, "1"},
		{time.Microsecond, "1"},
		{1500 * time.Millisecond, "1500"},
		{1 << 62, "2147483647"}, // the server's maximum
	} {
		got, err := begin(&sqldb.Query{Session: &sqldb.Session{}}, test.timeout, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := "'statement_timeout', " + literal(test.want); !strings.Contains(got, want) {
			t.Errorf("%v: no %s in %s", test.timeout, want, got)
		}
	}
}
