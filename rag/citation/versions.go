package citation

import (
	"regexp"
	"slices"
	"strings"

	"github.com/qedkit/qed/figures"
)

var (
	// statedVersion matches versions and numbers of sections: v1.5, version 2.0 and 4.2.1.
	statedVersion = regexp.MustCompile(`(?i)\bv(?:ersion )?\d+(?:\.(?:\d+|x))+\b|\b\d+(?:\.(?:\d+|x)){2,}\b`)

	// dotted matches what may be a version in a source.
	dotted = regexp.MustCompile(`\d+(?:\.(?:\d+|x))+`)
)

// mayHaveVersion reports whether a source with these dotted numbers may have a version, in
// full or in part. A source without any says nothing against one, and one that has 1.26 and
// 1.26.9 has no 1.26.3.
func mayHaveVersion(all []string, version string) bool {
	v := dotted.FindString(version)
	return len(all) == 0 || slices.ContainsFunc(all, func(has string) bool {
		switch {
		case has == v, strings.HasPrefix(has, v+"."), strings.HasSuffix(has, ".x"), strings.HasSuffix(v, ".x"):
			return true
		case !strings.HasPrefix(v, has+"."):
			return false
		}
		zero := strings.Trim(v[len(has):], ".0") == ""
		return zero || !slices.ContainsFunc(all, func(other string) bool {
			return strings.HasPrefix(other, has+".") && strings.Count(other, ".") == strings.Count(v, ".")
		})
	})
}

// A named number is part of a name, such as 8 in UTF-8 and 2.0 in Apache-2.0.
type named struct{ name, number, text string }

// names matches a short number behind a name. Package figures compares longer ones.
var names = regexp.MustCompile(`\b(?:(\pL*\p{Lu}\pL*)(?:-|( )?)|(\pL{2,})-)v?(\d{1,2}(?:\.\d+)*)\b`)

// namesIn returns the numbers of a text that are parts of names. Those of a source may
// stand behind a space.
func namesIn(text string, source bool) (all []named) {
	for _, m := range names.FindAllStringSubmatch(text, -1) {
		if m[2] == "" || source {
			all = append(all, named{strings.ToLower(m[1] + m[3]), m[4], m[0]})
		}
	}
	return all
}

// contradicts reports whether a source has the name with other numbers.
func (n *named) contradicts(s *facts) bool {
	return slices.ContainsFunc(s.names, func(has named) bool { return has.name == n.name })
}

// mayBe reports whether a source has the number, in the name or anywhere else. A quarter
// can be that of a month.
func (n *named) mayBe(s *facts) bool {
	whole, fraction, _ := strings.Cut(n.number, ".")
	if strings.Trim(fraction, ".0") == "" && len(s.numbers.Missing(whole+" kg", figures.PointDecimal)) == 0 {
		return true
	}
	return len(s.dates.all) > 0 && calendar[n.name] || slices.ContainsFunc(s.digits, func(has string) bool {
		return has == n.number || strings.HasPrefix(has, n.number+".") || strings.HasPrefix(n.number, has+".")
	})
}

// calendar has the names of periods of a year.
var calendar = map[string]bool{"q": true, "h": true, "w": true, "kw": true, "cw": true, "fy": true, "gj": true}

// numbersOfNames matches all digits of a source.
var numbersOfNames = regexp.MustCompile(`\d+(?:\.\d+)*`)
