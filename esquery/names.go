package esquery

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/refusal"
)

// plainIndex reports whether name can only be that of one index, alias or data
// stream of the cluster that is asked: no pattern, list, exclusion, date math,
// other cluster, or part of a path.
func plainIndex(name string) bool {
	if name == "" || name == "_all" || name == "." || name == ".." || len(name) > maxIndexName || !utf8.ValidString(name) {
		return false
	}
	if strings.ContainsRune("-+_", rune(name[0])) {
		return false
	}
	for _, r := range name {
		if strings.ContainsRune(`*?,:<>|\/"# %&`, r) || unicode.IsControl(r) || unicode.IsSpace(r) || unicode.IsUpper(r) {
			return false
		}
	}
	return true
}

const maxIndexName = 255 // bytes, of the engines

// nearest returns the fields that could have been meant by path, best first, of
// those that fits holds for.
func (m *Mapping) nearest(path string, fits func(*Field) bool) []string {
	var names []string
	for _, name := range m.known {
		if fits(m.fields[name]) {
			names = append(names, name)
		}
	}
	return refusal.Nearest(path, names, maxCandidates)
}

// same returns the one field, of those that visible holds for, whose path differs
// from path only in letter case and in what stands between words: _, - and a change
// of case. The dots between objects count.
func (m *Mapping) same(path string, visible func(path string) bool) (string, bool) {
	only := ""
	for _, name := range m.folded[fold(path)] {
		if !visible(name) {
			continue
		}
		if only != "" {
			return "", false
		}
		only = name
	}
	return only, only != ""
}

// fold leaves out of a path what writers of names disagree about.
func fold(path string) string {
	if strings.IndexFunc(path, func(r rune) bool { return r == '_' || r == '-' || r > unicode.MaxASCII || unicode.IsUpper(r) }) < 0 {
		return path
	}
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' {
			return -1
		}
		return unicode.ToLower(r)
	}, path)
}
