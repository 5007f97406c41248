package rag

import (
	"slices"
	"strings"
)

// codeIndent is the indentation of indented code.
const codeIndent = 4

func blank(line string) bool { return strings.TrimSpace(line) == "" }

// indent returns the column of the first character of s that is not a space, and
// s from there. s begins at the given column; tab stops are every four columns.
func indent(s string, column int) (int, string) {
	for i := range len(s) {
		switch s[i] {
		case ' ':
			column++
		case '\t':
			column += 4 - column%4
		default:
			return column, s[i:]
		}
	}
	return column, ""
}

// heading returns the level and the title of a line that is an ATX heading, such
// as "## Title". The level of other lines is 0.
func heading(text string) (level int, title string) {
	rest := strings.TrimLeft(text, "#")
	level = len(text) - len(rest)
	if level == 0 || level > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	title = strings.TrimSpace(rest)
	if bare := strings.TrimRight(title, "#"); bare == "" || strings.HasSuffix(bare, " ") || strings.HasSuffix(bare, "\t") {
		title = strings.TrimSpace(bare)
	}
	return level, title
}

// isUnderline reports whether a line turns the paragraph above it into a heading.
func isUnderline(text string) bool {
	text = strings.TrimRight(text, " \t")
	return text != "" && (strings.Trim(text, "=") == "" || strings.Trim(text, "-") == "")
}

// isRule reports whether a line is a thematic break.
func isRule(text string) bool {
	for _, char := range []string{"*", "-", "_"} {
		if strings.HasPrefix(text, char) {
			return strings.Count(text, char) >= 3 && strings.Trim(text, char+" \t") == ""
		}
	}
	return false
}

// marker returns the length of the list marker at the beginning of text, without
// the space after it. It returns 0 if there is none.
func marker(text string) int {
	digits := 0
	for digits < len(text) && '0' <= text[digits] && text[digits] <= '9' {
		digits++
	}
	width := digits + 1
	if digits > 9 || width > len(text) {
		return 0
	}
	last := ".)" // of an ordered item: "1." or "1)"
	if digits == 0 {
		last = "-+*"
	}
	if !strings.Contains(last, text[digits:width]) {
		return 0
	}
	if width < len(text) && text[width] != ' ' && text[width] != '\t' {
		return 0
	}
	return width
}

// A fence is the line that opens fenced code.
type fence struct {
	char   string // a backtick or a tilde
	length int
}

func openFence(text string) (fence, bool) {
	for _, char := range []string{"`", "~"} {
		info := strings.TrimLeft(text, char)
		if n := len(text) - len(info); n >= 3 {
			return fence{char, n}, char == "~" || !strings.Contains(info, "`")
		}
	}
	return fence{}, false
}

func (f fence) closedBy(text string) bool {
	rest := strings.TrimLeft(text, f.char)
	return len(text)-len(rest) >= f.length && blank(rest)
}

// openHTML reports whether text begins a block of HTML, and returns what ends it:
// the first line that contains end, or a blank line if end is empty. Within a
// paragraph, fewer tags begin a block.
func openHTML(text string, within bool) (end string, ok bool) {
	if !strings.HasPrefix(text, "<") {
		return "", false
	}
	switch rest := text[1:]; {
	case strings.HasPrefix(rest, "!--"):
		return "-->", true
	case strings.HasPrefix(rest, "?"):
		return "?>", true
	case strings.HasPrefix(rest, "![CDATA["):
		return "]]>", true
	case len(rest) > 1 && rest[0] == '!' && isLetter(rest[1]):
		return ">", true
	}
	name, after := tagName(text)
	switch {
	case name == "":
		return "", false
	case slices.Contains(rawTags, name) && text[1] != '/':
		return "</" + name, true
	case slices.Contains(blockTags, name):
		return "", true
	}
	alone := strings.Count(text, "<") == 1 && strings.HasSuffix(strings.TrimSpace(after), ">")
	return "", alone && !within
}

// tagName returns the lower-case name of the tag at the beginning of text and the
// text after the name. It returns "" if there is no tag.
func tagName(text string) (name, after string) {
	name = strings.TrimPrefix(text[1:], "/")
	end := strings.IndexFunc(name, func(r rune) bool {
		return !isLetter(byte(r)) && (r < '0' || r > '9') && r != '-' || r > 'z'
	})
	if end < 0 {
		end = len(name)
	}
	name, after = name[:end], name[end:]
	if name == "" || !isLetter(name[0]) || after != "" && !strings.ContainsAny(after[:1], " \t>/") {
		return "", ""
	}
	return strings.ToLower(name), after
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// A block of HTML that begins with one of rawTags ends where the tag is closed,
// one of blockTags at the next blank line.
var (
	rawTags   = []string{"pre", "script", "style", "textarea"}
	blockTags = strings.Fields(`address article aside base basefont blockquote body caption center col colgroup dd
		details dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head
		header hr html iframe legend li link main menu menuitem nav noframes ol optgroup option p param search
		section summary table tbody td tfoot th thead title tr track ul`)
)
