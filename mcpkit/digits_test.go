package mcpkit

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestDigits(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":9007199254740993}`:                                     `{"id":"9007199254740993"}`,
		`{"id":-9007199254740993,"n":[1,2]}`:                          `{"id":"-9007199254740993","n":[1,2]}`,
		`{"id":9007199254740992}`:                                     `{"id":9007199254740992}`,
		`{"x":1.2345678901234567890}`:                                 `{"x":1.2345678901234567890}`,
		`{"x":12345678901234567890e3}`:                                `{"x":12345678901234567890e3}`,
		`{"t":"9007199254740993 \" 9007199254740993"}`:                `{"t":"9007199254740993 \" 9007199254740993"}`,
		"id: 9007199254740993\ndata: {\"a\":[90071992547409931]}\n\n": "id: 9007199254740993\ndata: {\"a\":[\"90071992547409931\"]}\n\n",
		`9007199254740993`:                                            `9007199254740993`,
		`]}{"a":1`:                                                    `]}{"a":1`,
		`{"a":90071992547409931`:                                      `{"a":"90071992547409931"`,
		``:                                                            ``,
	} {
		for name, in := range map[string]io.Reader{"whole": strings.NewReader(text), "in bytes": iotest.OneByteReader(strings.NewReader(text))} {
			got, err := io.ReadAll(&exactBody{ReadCloser: io.NopCloser(in)})
			if err != nil || string(got) != want {
				t.Errorf("%s %s: %s, %v, want %s", name, text, got, err, want)
			}
		}
	}
}

// What is no whole number beyond 2^53 is not changed.
func FuzzDigits(f *testing.F) {
	f.Add([]byte(`{"a":[1,2.5e3,"9007199254740993"]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var d digits
		got := d.end(d.add(nil, text))
		if bytes.Equal(got, text) {
			return
		}
		if bytes.Count(got, []byte{'"'})-bytes.Count(text, []byte{'"'}) < 2 {
			t.Errorf("%q became %q", text, got)
		}
	})
}
