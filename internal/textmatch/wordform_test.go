package textmatch

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"":                       "",
		"  Port   of MIAMI ":     "port of miami",
		"Malmö":                  "malmo",
		"Malmo\u0308":            "malmo",
		"Łódź, Æbeltoft & Große": "lodz aebeltoft and grosse",
		"O'Hare’s":               "ohares",
		"U.S.A. St. Louis":       "usa st louis",
		"MSC-2/3":                "msc 2 3",
		"ＭＳＣ":                    "msc",
		"上海港":                    "上海港",
		"हिन्दी":                 "हिन्दी",
		"が か":                    "が か",
		"Θεσσαλονίκη":            "θεσσαλονικη",
		"a\xffb":                 "a b",
		"?!":                     "",
		"+ - #":                  "",
		"C++, C#":                "c plus plus c sharp",
		"A- (AB-) +1":            "a minus ab minus plus 1",
		"Floor -1 −2 Pier #3":    "floor minus 1 minus 2 pier number 3",
		"<5 ≤5 > 5 >=5 -> 5":     "below 5 atmost 5 above 5 atleast 5 above 5",
		"x -> y":                 "x y",
		"1.5 1,5 .5 1,500 1.2.3": "1point5 1point5 0point5 1 500 1 2 3",
		"v1.5 St.5 12.":          "v1point5 st 5 12",
		"1½ ½1 10² m²":           "1 1 2 1 2 1 10 2 m2",
	} {
		if got := Fold(in); got != want {
			t.Errorf("Fold(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want float64
	}{
		{"same", "same", 0}, {"anna", "ana", costDouble}, {"miami", "maimi", costSwap}, {"rotterdam", "rotterdan", costEdit}, {"hamburg", "amburg", costFirst},
		{"", "", 0}, {"shanghai", "shangai", costEdit}, {"ana", "anna", costDouble},
	} {
		if got := distance([]rune(tt.a), []rune(tt.b), 10); got != tt.want {
			t.Errorf("distance(%s, %s) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
		if got := distance([]rune(tt.b), []rune(tt.a), 10); got != tt.want {
			t.Errorf("distance(%s, %s) = %v, want %v", tt.b, tt.a, got, tt.want)
		}
	}
}

// FuzzFold checks that a folded text is valid, has single spaces, and does not
// change when it is folded again.
func FuzzFold(f *testing.F) {
	for _, s := range []string{"Malmö", "U.S.A.", "O'Hare", "ǅ ﬁ ½ Ⅷ", "हिन्दी", "\u0308a\u0308", "が", "İstanbul", "ẞ", "a.\u0301b", "한국", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Fold(s)
		if again := Fold(got); again != got {
			t.Errorf("%q folds to %q, and that to %q", s, got, again)
		}
		if !utf8.ValidString(got) || got != strings.Join(strings.Fields(got), " ") {
			t.Errorf("%q folds to %q", s, got)
		}
		if i := strings.IndexFunc(got, func(r rune) bool {
			return r != ' ' && !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
		}); i >= 0 {
			t.Errorf("%q folds to %q", s, got)
		}
	})
}
