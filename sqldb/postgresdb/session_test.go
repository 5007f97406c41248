package postgresdb

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/qedkit/qed/sqldb"
)

// TestBegin: whatever a session holds, what is sent of it is letters and digits,
// and the same for the same session.
func TestBegin(t *testing.T) {
	hostile := `'"\;--/**/$$` + "\n Zoë 🎉"
	r := &sqldb.Reading{Tag: "TAG", Timeout: 1500 * time.Millisecond, Session: &sqldb.Session{
		Settings:   map[string]any{"app.key": hostile, "app.b": []byte(hostile), "app.c": true, "app.d": 1.5, "app.e": nil},
		Role:       hostile,
		SearchPath: []string{hostile, "public"},
	}}
	first, err := begin(r)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if again, _ := begin(r); again != first {
			t.Fatal("the text differs from time to time")
		}
	}
	if strings.ContainsAny(first, "\"\\\n$") || strings.ContainsFunc(first, func(r rune) bool { return r >= utf8.RuneSelf }) || strings.Contains(first, "--") {
		t.Error(first)
	}
}

// TestBeginTimeout: no time limit becomes none.
func TestBeginTimeout(t *testing.T) {
	for _, test := range []struct {
		timeout time.Duration
		want    string
	}{
		{0, "1"},
		{time.Microsecond, "1"},
		{1500 * time.Millisecond, "1500"},
		{1 << 62, "2147478647"}, // the server's greatest, less what it waits for a client
	} {
		got, err := begin(&sqldb.Reading{Timeout: test.timeout, Session: &sqldb.Session{}})
		if err != nil {
			t.Fatal(err)
		}
		if want := "'statement_timeout', " + literal(test.want); !strings.Contains(got, want) {
			t.Errorf("%v: no %s in %s", test.timeout, want, got)
		}
	}
}
