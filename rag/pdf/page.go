package pdf

import (
	"math"
	"strings"
	"unicode"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// pageText returns the text of a page without what is struck out. A raised digit follows a
// caret and a lowered one an underscore if it would become a digit of the number or the word
// before it.
func pageText(instance pdfium.Pdfium, page requests.Page) (string, error) {
	loaded, err := instance.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: page})
	if err != nil {
		return "", err
	}
	r := pageReader{instance: instance, page: loaded.TextPage}
	defer instance.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: r.page})
	count, err := instance.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: r.page})
	if err != nil {
		return "", err
	}
	struck := r.struck(page, count.Count)
	for i := range count.Count {
		c, err := instance.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: r.page, Index: i})
		if err != nil {
			return "", err
		}
		if c.Unicode != 0 && !struck[i] {
			r.add(i, rune(c.Unicode))
		}
	}
	return r.text.String(), nil
}

// A pageReader collects the characters of a page.
type pageReader struct {
	instance pdfium.Pdfium
	page     references.FPDF_TEXTPAGE
	text     strings.Builder
	last     rune
	at       int // of last on the page
}

func (r *pageReader) add(i int, c rune) {
	if unicode.IsDigit(c) && (unicode.IsDigit(r.last) || unicode.IsLetter(r.last) || r.last == ')') {
		r.text.WriteString(r.mark(i))
	}
	r.last, r.at = c, i
	r.text.WriteRune(c)
}

// mark returns what stands between the last character and the digit i, whose line may be
// another. After a small mark that was raised or lowered it is a space.
func (r *pageReader) mark(i int) string {
	last, ok := r.glyph(r.at)
	digit, known := r.glyph(i)
	if !ok || !known {
		return ""
	}
	step := (digit.base - last.base) / max(last.size, digit.size)
	switch {
	case step > -minStep && step < minStep, step > maxStep, step < -maxStep:
		return ""
	case last.size < digit.size:
		return " "
	case step > 0:
		return "^"
	case unicode.IsDigit(r.last):
		return "_"
	}
	return "" // H2O
}

// A raised digit is higher than the line by a part of the size of its letters, but not
// as much as a line.
const minStep, maxStep = 0.12, 0.9

// A glyph is a character on the page: the height of its baseline, the sides of its box, and the
// size of its font as it is drawn.
type glyph struct{ base, left, right, size float64 }

func (r *pageReader) glyph(i int) (g glyph, ok bool) {
	origin, err := r.instance.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: r.page, Index: i})
	if err != nil {
		return g, false
	}
	box, err := r.instance.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: r.page, Index: i})
	if err != nil {
		return g, false
	}
	font, err := r.instance.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: r.page, Index: i})
	if err != nil {
		return g, false
	}
	m, err := r.instance.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: r.page, Index: i})
	if err != nil {
		return g, false
	}
	size := font.FontSize * math.Hypot(float64(m.Matrix.C), float64(m.Matrix.D))
	return glyph{origin.Y, float64(box.Rect.Left), float64(box.Rect.Right), size}, size > 0
}

// A line is a thin path on the page, and the characters that it goes through.
type line struct {
	left, right, y float64
	first, last, n int
	from, to       float64 // where it may begin and end
}

const (
	maxThick  = 4    // points
	maxLines  = 1000 // more are a drawing
	minHeight = 0.1  // above the baseline, as a part of the size of the font
	maxHeight = 0.45
)

// struck returns the characters that are struck out: a line goes through them, and not
// beyond them. Lines of tables and drawings are longer.
func (r *pageReader) struck(page requests.Page, chars int) []bool {
	struck := make([]bool, chars)
	objects, err := r.instance.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: page})
	if err != nil {
		return struck
	}
	var lines []*line
	for i := 0; i < objects.Count && len(lines) <= maxLines; i++ {
		o, err := r.instance.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: page, Index: i})
		if err != nil {
			continue
		}
		kind, err := r.instance.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: o.PageObject})
		b, failed := r.instance.FPDFPageObj_GetBounds(&requests.FPDFPageObj_GetBounds{PageObject: o.PageObject})
		if err == nil && failed == nil && kind.Type == enums.FPDF_PAGEOBJ_PATH && b.Top-b.Bottom < maxThick {
			lines = append(lines, &line{float64(b.Left), float64(b.Right), float64(b.Top+b.Bottom) / 2, chars, 0, 0, math.Inf(1), math.Inf(-1)})
		}
	}
	for i := 0; i < chars && 0 < len(lines) && len(lines) <= maxLines; i++ {
		g, ok := r.glyph(i)
		x := (g.left + g.right) / 2
		for _, l := range lines {
			if height := (l.y - g.base) / g.size; ok && l.left < x && x < l.right && minHeight < height && height < maxHeight {
				l.first, l.last, l.n = min(l.first, i), i, l.n+1
				l.from, l.to = min(l.from, g.left-g.size/4), max(l.to, g.right+g.size/4)
			}
		}
	}
	for _, l := range lines {
		for i := l.first; i <= l.last && 2*l.n > l.last-l.first && l.from < l.left && l.right < l.to; i++ {
			struck[i] = true
		}
	}
	return struck
}
