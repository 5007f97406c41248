// Package xlsx reads the cells of Excel workbooks row by row. Its memory does not depend on
// the size of a sheet, and a file that is cut off or broken is an error, not a shorter sheet.
package xlsx

import (
	"archive/zip"
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// Limits are those of Excel.
const (
	MaxRows    = 1_048_576
	MaxColumns = 16_384
)

const (
	maxPart      = 32 << 20  // bytes of a part that is read whole, such as the styles
	maxDirectory = 4 << 20   // bytes of the list of the parts
	maxTexts     = 4_000_000 // shared texts
	xmlFactor    = 16        // bytes of XML for a byte of MaxBytes
	readBytes    = 64 << 10
)

// ErrTooLarge matches errors for a workbook that exceeds a limit.
var ErrTooLarge = errors.New("too large")

// A limitError is an ErrTooLarge with a text of its own.
type limitError string

func (e limitError) Error() string        { return string(e) }
func (e limitError) Is(target error) bool { return target == ErrTooLarge }

// A Workbook is an open file.
type Workbook struct {
	Sheets []Sheet // without charts and macros

	opt      Options
	parts    map[string]*zip.File // by path in lower case
	date1904 bool
	styles   []style
	texts    texts
}

// Options are the limits of a workbook.
type Options struct {
	MaxBytes     int64  // of the shared texts; the XML of a part may have some times more
	MaxCellBytes int    // of the XML of a text
	TempDir      string // of a file with the shared texts
}

// A Sheet is a table of a workbook.
type Sheet struct {
	Name   string
	Hidden bool

	path string
}

// Open reads the names of the sheets, the styles and the shared texts. It returns nil and no
// error for a ZIP archive that is no workbook.
func Open(r io.ReaderAt, size int64, opt Options) (*Workbook, error) {
	bounded := &boundedAt{r: r, left: maxDirectory}
	archive, err := zip.NewReader(bounded, size)
	if err != nil {
		return nil, fmt.Errorf("the list of its parts is broken: %w", err)
	}
	bounded.left = math.MaxInt64
	w := &Workbook{opt: opt, parts: map[string]*zip.File{}}
	for _, part := range archive.File {
		w.parts[partName(part.Name)] = part
	}
	root, err := w.relations("")
	if err != nil {
		return nil, err
	}
	book, ok := find(root, "officeDocument")
	if !ok || path.Ext(book) != ".xml" { // .bin is a binary workbook
		return nil, nil
	}
	if ok, err := w.readBook(book); err != nil || !ok {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// Close deletes the shared texts.
func (w *Workbook) Close() error { return w.texts.close() }

// boundedAt fails when more was read than expected.
type boundedAt struct {
	r    io.ReaderAt
	left int64
}

func (b *boundedAt) ReadAt(p []byte, at int64) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, limitError("it has too many parts")
	}
	return b.r.ReadAt(p, at)
}

func partName(name string) string {
	return strings.TrimPrefix(strings.ToLower(strings.ReplaceAll(name, `\`, "/")), "/")
}

// A relation leads from a part to another.
type relation struct {
	ID     string `xml:"Id,attr"`
	Type   string `xml:"Type,attr"`
	Target string `xml:"Target,attr"`
}

// relations returns where the parts are that a part names.
func (w *Workbook) relations(of string) ([]relation, error) {
	folder, file := path.Split(of)
	var list struct {
		Relations []relation `xml:"Relationship"`
	}
	if err := w.decode(folder+"_rels/"+file+".rels", &list); err != nil {
		return nil, err
	}
	for i, r := range list.Relations {
		if !strings.HasPrefix(r.Target, "/") {
			list.Relations[i].Target = path.Join(folder, r.Target)
		}
	}
	return list.Relations, nil
}

// find returns the part that a relation of a kind leads to.
func find(relations []relation, kind string) (target string, ok bool) {
	for _, r := range relations {
		if path.Base(r.Type) == kind {
			return r.Target, true
		}
	}
	return "", false
}

// decode reads a small part, which may be missing.
func (w *Workbook) decode(name string, to any) error {
	part, ok := w.parts[partName(name)]
	if !ok {
		return nil
	}
	if part.UncompressedSize64 > maxPart {
		return limitError("its list of sheets or styles is too large")
	}
	in, err := part.Open()
	if err != nil {
		return err
	}
	err = xml.NewDecoder(in).Decode(to)
	return errors.Join(err, in.Close())
}

// readBook returns false for a document that is no workbook.
func (w *Workbook) readBook(name string) (ok bool, err error) {
	var book struct {
		XMLName    xml.Name
		Properties struct {
			Date1904 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			Name  string `xml:"name,attr"`
			State string `xml:"state,attr"`
			ID    string `xml:"id,attr"`
		} `xml:"sheets>sheet"`
	}
	if err := w.decode(name, &book); err != nil || book.XMLName.Local != "workbook" {
		return false, err
	}
	w.date1904 = book.Properties.Date1904 == "1" || book.Properties.Date1904 == "true"
	parts, err := w.relations(name)
	if err != nil {
		return false, err
	}
	byID := map[string]relation{}
	for _, r := range parts {
		byID[r.ID] = r
	}
	for _, s := range book.Sheets {
		if to := byID[s.ID]; path.Base(to.Type) == "worksheet" {
			w.Sheets = append(w.Sheets, Sheet{Name: s.Name, Hidden: s.State != "" && s.State != "visible", path: to.Target})
		}
	}
	if at, ok := find(parts, "styles"); ok {
		if err := w.readStyles(at); err != nil {
			return false, err
		}
	}
	if at, ok := find(parts, "sharedStrings"); ok && w.parts[partName(at)] != nil {
		return true, w.readTexts(at)
	}
	return true, nil
}

// texts are the shared texts of a workbook, in a file.
type texts struct {
	file *os.File
	ends []int64
	buf  []byte
}

func (t *texts) close() error {
	if t.file == nil {
		return nil
	}
	return errors.Join(t.file.Close(), os.Remove(t.file.Name()))
}

func (t *texts) at(i int) (string, error) {
	if i < 0 || i >= len(t.ends) {
		return "", errors.New("a cell has a text that does not exist")
	}
	start := int64(0)
	if i > 0 {
		start = t.ends[i-1]
	}
	if n := int(t.ends[i] - start); n > cap(t.buf) {
		t.buf = make([]byte, n)
	}
	t.buf = t.buf[:t.ends[i]-start]
	_, err := t.file.ReadAt(t.buf, start)
	return string(t.buf), err
}

func (w *Workbook) readTexts(name string) (err error) {
	w.texts.file, err = os.Create(filepath.Join(w.opt.TempDir, "texts"))
	if err != nil {
		return err
	}
	out, size := bufio.NewWriterSize(w.texts.file, readBytes), int64(0)
	err = w.walk(name, "sst", func(in *reader, start xml.StartElement) error {
		if start.Name.Local != "si" {
			return nil
		}
		if len(w.texts.ends) == maxTexts {
			return limitError(fmt.Sprintf("it has more than %d different texts", maxTexts))
		}
		text, _, err := in.content("si")
		if err != nil {
			return err
		}
		n, err := out.WriteString(unescape(text))
		size += int64(n)
		w.texts.ends = append(w.texts.ends, size)
		if size > w.opt.MaxBytes {
			return limitError(fmt.Sprintf("its texts have more than %d bytes", w.opt.MaxBytes))
		}
		return err
	})
	return errors.Join(err, out.Flush())
}

// A reader reads the XML of a part, whose tokens are bounded.
type reader struct {
	*xml.Decoder
	from *gate
	name string
	text []byte
}

// A gate refuses what is read for one token, and in all, beyond limits.
type gate struct {
	r     io.Reader
	max   int64
	left  int64 // of the token
	total int64 // left in all
}

func (g *gate) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	if g.left -= int64(n); g.left < 0 {
		return 0, limitError(fmt.Sprintf("a cell has more than %d bytes", g.max))
	}
	if g.total -= int64(n); g.total < 0 {
		return 0, limitError("it is too large when it is decompressed")
	}
	return n, err
}

// next returns the next token. Only walk gets [io.EOF].
func (r *reader) next() (xml.Token, error) {
	r.from.left = r.from.max + readBytes
	return r.RawToken()
}

// walk calls each with all elements of a part. The part has to have the end of its root.
func (w *Workbook) walk(name, root string, each func(in *reader, start xml.StartElement) error) (err error) {
	part, ok := w.parts[partName(name)]
	if !ok {
		return fmt.Errorf("its part %s is missing", path.Base(name))
	}
	from, err := part.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	g := &gate{r: from, max: int64(w.opt.MaxCellBytes), total: min(w.opt.MaxBytes, math.MaxInt64/xmlFactor) * xmlFactor}
	in := &reader{Decoder: xml.NewDecoder(bufio.NewReaderSize(g, readBytes)), from: g, name: path.Base(name)}
	ended := false
	for {
		token, err := in.next()
		if err == io.EOF && ended {
			return nil
		}
		if err != nil {
			return in.broken(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if err := each(in, t); err != nil {
				return err
			}
		case xml.EndElement:
			ended = ended || t.Name.Local == root
		}
	}
}

func (r *reader) broken(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if errors.Is(err, ErrTooLarge) {
		return err
	}
	return fmt.Errorf("its part %s is broken: %w", r.name, err)
}

// content returns the text of a cell or a shared text, whose start was read, and whether it
// has a formula. The bytes are valid until the next call.
func (r *reader) content(end string) (text []byte, formula bool, err error) {
	r.text = r.text[:0]
	inside, phonetic := "", false
	for {
		token, err := r.next()
		if err != nil {
			return nil, false, r.broken(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			inside = t.Name.Local
			formula, phonetic = formula || inside == "f", phonetic || inside == "rPh"
		case xml.EndElement:
			if inside = ""; t.Name.Local == end {
				return r.text, formula, nil
			}
			phonetic = phonetic && t.Name.Local != "rPh"
		case xml.CharData:
			if inside == "v" || inside == "t" && !phonetic {
				r.text = append(r.text, t...)
			}
			if len(r.text) > int(r.from.max) {
				return nil, false, limitError(fmt.Sprintf("a cell has more than %d bytes", r.from.max))
			}
		}
	}
}

// unescape returns a text without characters that XML lacks, which Excel writes as _x000D_.
// Ends of lines are newlines.
func unescape(text []byte) string {
	s := string(text)
	if !strings.Contains(s, "_x") && !strings.Contains(s, "\r") {
		return s
	}
	var b strings.Builder
	for {
		at := strings.Index(s, "_x")
		if at < 0 || at+7 > len(s) {
			break
		}
		code, err := strconv.ParseUint(s[at+2:at+6], 16, 16)
		if err != nil || s[at+6] != '_' {
			b.WriteString(s[:at+2])
			s = s[at+2:]
			continue
		}
		b.WriteString(s[:at])
		if code >= ' ' || code == '\n' || code == '\r' || code == '\t' {
			b.WriteRune(rune(code))
		}
		s = s[at+7:]
	}
	b.WriteString(s)
	return strings.ReplaceAll(strings.ReplaceAll(b.String(), "\r\n", "\n"), "\r", "\n")
}
