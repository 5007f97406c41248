package replytext

// A markdown is where a text in Markdown is: marks in code are part of the text.
type markdown struct {
	blank  bool // the line is blank so far, and is not the first one
	indent int  // columns before the text in the line

	run   int  // length of the marks of code that arrive
	mark  byte // the mark of code: a backquote or a tilde
	first bool // it began the line

	span   int  // backquotes around the code in the line; 0 outside
	fence  int  // marks around the block of code; 0 outside
	fences byte // the mark of the block
	opened bool // the block was opened in this line
}

// inCode reports whether the text is in code.
func (m *markdown) inCode() bool {
	m.endRun()
	return m.fence > 0 || m.span > 0
}

// step follows the text by a byte.
func (m *markdown) step(b byte) {
	if b != m.mark {
		m.endRun()
	}
	switch b {
	case '\n':
		m.blank, m.indent, m.span, m.opened = true, 0, 0, false
	case '`', '~':
		if m.run == 0 {
			m.mark, m.first = b, m.indent < codeIndent && (m.blank || m.indent == 0)
		}
		m.run++
		m.blank, m.indent = false, codeIndent
	case ' ':
		m.indent++
	case '\t':
		m.indent += codeIndent
	case '\r':
	default:
		m.blank, m.indent = false, codeIndent
	}
}

const codeIndent = 4 // columns before a line of code

// endRun ends the marks of code that arrive.
func (m *markdown) endRun() {
	n := m.run
	m.run = 0
	switch {
	case n == 0:
	case m.fence > 0 && m.opened: // marks after the opening ones: it is code in the line
		m.fence = 0
	case m.fence > 0 && (n < m.fence || m.mark != m.fences):
	case m.fence > 0:
		m.fence = 0
	case m.first && n >= 3:
		m.fence, m.fences, m.opened = n, m.mark, true
	case m.mark == '~':
	case m.span == 0:
		m.span = n
	case m.span == n:
		m.span = 0
	}
}
