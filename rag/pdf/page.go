package pdf

import (
	"strings"
	"unicode"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// pageText returns the text of a page. A raised digit follows a caret and a lowered one an
// underscore if it would become a digit of the number or the word before it.
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
	for i := range count.Count {
		c, err := instance.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: r.page, Index: i})
		if err != nil {
			return "", err
		}
		if c.Unicode != 0 {
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

// A glyph is a character on the page.
type glyph struct{ base, size float64 } // the height of its baseline, and the size of its font

func (r *pageReader) glyph(i int) (g glyph, ok bool) {
	origin, err := r.instance.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: r.page, Index: i})
	if err != nil {
		return g, false
	}
	font, err := r.instance.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: r.page, Index: i})
	if err != nil {
		return g, false
	}
	return glyph{origin.Y, font.FontSize}, font.FontSize > 0
}
