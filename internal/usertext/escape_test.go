package usertext_test

import (
	"testing"

	"github.com/qedkit/qed/internal/usertext"
)

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"avg_delay of 5 < 6 and 7 > 4":        "avg_delay of 5 < 6 and 7 > 4",
		"a | b\n\n## c":                       `a \| b \## c`,
		"![x](y) <b> `c` *d* _e_ ~~f~~ &amp;": "!\\[x\\](y) \\<b> \\`c\\` \\*d\\* \\_e\\_ \\~\\~f\\~\\~ \\&amp;",
		"see http://a.b/c, www.a.b: ann@a.b":  `see http\://a.b/c, www\.a.b: ann\@a.b`,
		"> a":                                 `\> a`,
		"# a":                                 `\# a`,
		"":                                    "",
		`a\`:                                  `a\\`,
	} {
		if got := usertext.Escape(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
