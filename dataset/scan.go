package dataset

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	utf16 "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/prompt"
)

// A cell is a value of the input.
type cell struct {
	text   string
	number bool // a number of JSON, whose decimal sign is a point
	null   bool
}

func (c cell) blank() bool { return c.null || strings.TrimSpace(c.text) == "" }

// A loader reads an input twice: from the reader of the caller, and from the
// copy in UTF-8 that the first time wrote.
type loader struct {
	ctx      context.Context
	opt      Options
	dir      string
	isJSON   bool
	comma    rune
	columns  []*tableColumn
	names    map[string]bool // of the columns, in lower case
	index    map[string]int  // of the columns of JSON, by header
	lastIn   []int           // the last object that has the column of JSON
	rows     int
	warnings []Warning

	ragged, raggedAt int

	text string // the path of the copy in UTF-8
}

// maxWarnings bounds the warnings, of which each column may have several.
const maxWarnings = 100

func (l *loader) warn(w Warning) {
	n := len(l.warnings)
	switch {
	case n < maxWarnings:
		l.warnings = append(l.warnings, w)
		return
	case n == maxWarnings:
		l.warnings = append(l.warnings, Warning{Kind: Omitted})
	}
	last := &l.warnings[maxWarnings]
	last.Count++
	last.Message = fmt.Sprintf("%d more warnings are left out", last.Count)
}

func (l *loader) warnf(kind WarningKind, format string, args ...any) {
	l.warn(Warning{Kind: kind, Message: fmt.Sprintf(format, args...)})
}

// limited fails after max bytes and when ctx ends.
type limited struct {
	ctx context.Context
	r   io.Reader
	n   int64
	max int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.ctx.Err() != nil {
		return 0, context.Cause(l.ctx)
	}
	n, err := l.r.Read(p)
	if l.n += int64(n); l.n > l.max {
		return 0, errorf(ErrTooLarge, 0, "the input has more than %d bytes; load a part of it or increase MaxBytes", l.max)
	}
	if err != nil && err != io.EOF {
		err = &Error{Kind: ErrRead, Message: "the input cannot be read", Err: err}
	}
	return n, err
}

// withoutNUL removes NUL bytes.
type withoutNUL struct {
	r io.Reader
	n int
}

func (w *withoutNUL) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	kept := 0
	for _, b := range p[:n] {
		if b != 0 {
			p[kept] = b
			kept++
		}
	}
	w.n += n - kept
	return kept, err
}

const peeked = 64 << 10

// scan reads the input, copies it in UTF-8 and finds the types.
func (l *loader) scan(r io.Reader) error {
	plain, err := os.Create(filepath.Join(l.dir, "bytes"))
	if err != nil {
		return &Error{Kind: ErrStorage, Message: "the temporary file cannot be made", Err: err}
	}
	defer plain.Close()
	in := bufio.NewReaderSize(&limited{ctx: l.ctx, r: r, max: l.opt.MaxBytes}, peeked)
	head, err := in.Peek(peeked)
	if err != nil && err != io.EOF {
		return err
	}
	if err := foreign(head); err != nil {
		return err
	}
	var source io.Reader = in
	if bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff}) {
		source = transform.NewReader(in, utf16.UTF16(utf16.LittleEndian, utf16.UseBOM).NewDecoder())
		l.warnf(Encoding, "the input was converted from UTF-16")
	}
	if bytes.HasPrefix(head, []byte{0xef, 0xbb, 0xbf}) {
		in.Discard(3)
	}
	strip := &withoutNUL{r: source}
	check := &utf8Check{}
	if _, err := io.Copy(io.MultiWriter(plain, check), strip); err != nil {
		return l.copyError(err)
	}
	if strip.n > 0 {
		l.warnf(Dropped, "%d NUL bytes were removed", strip.n)
	}
	if !check.valid() {
		if plain, err = l.fromWindows(plain); err != nil {
			return err
		}
		defer plain.Close()
		l.warnf(Encoding, "the input is not UTF-8; it was converted from Windows-1252, which includes Latin-1")
	}
	l.text = plain.Name()
	if err := l.detect(plain); err != nil {
		return err
	}
	if err := l.addRows(); err != nil {
		return err
	}
	if l.ragged > 0 {
		l.warn(Warning{Kind: Ragged, Line: l.raggedAt, Count: l.ragged,
			Message: fmt.Sprintf("%d rows are shorter than the header, first in line %d; their last cells are NULL", l.ragged, l.raggedAt)})
	}
	sign := l.decimalSign()
	for _, c := range l.columns {
		for _, w := range c.decide(sign, l.opt.Decimal != 0) {
			l.warn(w)
		}
	}
	return nil
}

// addRows finds what the cells of all rows may be.
func (l *loader) addRows() error {
	err := l.each(func(cells []cell, at int) error {
		if l.rows == l.opt.MaxRows {
			return errorf(ErrTooLarge, at, "the input has more than %d rows; load a part of it or increase MaxRows", l.opt.MaxRows)
		}
		l.rows++
		for i, c := range cells {
			if len(c.text) > l.opt.MaxCellBytes {
				return errorf(ErrTooLarge, at, "cell %d has more than %d bytes; increase MaxCellBytes", i+1, l.opt.MaxCellBytes)
			}
			l.columns[i].add(c, at)
		}
		return nil
	})
	if err == nil && (len(l.columns) == 0 || l.rows == 0) {
		err = errorf(ErrEmpty, 0, "the input has no rows; it needs a header and at least one row")
	}
	return err
}

// copyError returns the error of a copy of the input. It is an error of storage
// unless the input could not be read.
func (l *loader) copyError(err error) error {
	var own *Error
	if errors.As(err, &own) || l.ctx.Err() != nil {
		return err
	}
	return &Error{Kind: ErrStorage, Message: "the temporary file cannot be written", Err: err}
}

// fromWindows copies a file of Windows-1252 to a file of UTF-8.
func (l *loader) fromWindows(plain *os.File) (*os.File, error) {
	text, err := os.Create(filepath.Join(l.dir, "text"))
	if err != nil {
		return nil, &Error{Kind: ErrStorage, Message: "the temporary file cannot be made", Err: err}
	}
	if _, err = plain.Seek(0, io.SeekStart); err == nil {
		in := &limited{ctx: l.ctx, r: plain, max: math.MaxInt64}
		_, err = io.Copy(text, charmap.Windows1252.NewDecoder().Reader(in))
	}
	if err != nil {
		text.Close()
		return nil, l.copyError(err)
	}
	return text, nil
}

// foreign reports an input that is no text table.
func foreign(head []byte) error {
	for prefix, name := range map[string]string{"PK\x03\x04": "a ZIP archive or an XLSX file", "%PDF": "a PDF", "\x1f\x8b": "compressed with gzip",
		"SQLite format 3": "a SQLite database", "PAR1": "a Parquet file", "\xd0\xcf\x11\xe0": "an XLS file", "\x89PNG": "a picture", "\x7fELF": "a program"} {
		if bytes.HasPrefix(head, []byte(prefix)) {
			return errorf(ErrFormat, 0, "the input is %s; export it as CSV in UTF-8", name)
		}
	}
	start := strings.ToLower(string(bytes.TrimSpace(head[:min(len(head), 512)])))
	if strings.HasPrefix(start, "<!doctype") || strings.HasPrefix(start, "<html") || strings.HasPrefix(start, "<?xml") {
		return errorf(ErrFormat, 0, "the input is HTML or XML; export it as CSV")
	}
	if len(head) > 2 && (head[0] == 0xff && head[1] == 0xfe || head[0] == 0xfe && head[1] == 0xff) {
		return nil
	}
	nul, control := bytes.Count(head, []byte{0}), 0
	for _, b := range head {
		if b != 0 && b < 0x20 && b != '\t' && b != '\n' && b != '\r' {
			control++
		}
	}
	if control*20 > len(head) || nul*3 > len(head) {
		return errorf(ErrFormat, 0, "the input is binary; export it as CSV in UTF-8")
	}
	return nil
}

// utf8Check checks whether what is written to it is UTF-8.
type utf8Check struct {
	rest []byte
	bad  bool
}

func (u *utf8Check) Write(p []byte) (int, error) {
	if u.bad {
		return len(p), nil
	}
	text := append(u.rest, p...)
	end := len(text)
	for i := 1; i <= min(3, len(text)); i++ {
		if b := text[len(text)-i]; utf8.RuneStart(b) {
			if !utf8.FullRune(text[len(text)-i:]) {
				end = len(text) - i
			}
			break
		}
	}
	u.bad = !utf8.Valid(text[:end])
	u.rest = append([]byte(nil), text[end:]...)
	return len(p), nil
}

func (u *utf8Check) valid() bool { return !u.bad && len(u.rest) == 0 }

// detect finds the format, the separator and, for CSV, the columns.
func (l *loader) detect(f *os.File) error {
	head := make([]byte, peeked)
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return &Error{Kind: ErrStorage, Message: "the temporary file cannot be read", Err: err}
	}
	head = bytes.TrimSpace(head[:n])
	if len(head) == 0 {
		return errorf(ErrEmpty, 0, "the input is empty; it needs a header and at least one row")
	}
	if head[0] == '{' || head[0] == '[' {
		l.isJSON, l.index = true, map[string]int{}
		return nil
	}
	if l.comma = l.opt.Separator; l.comma == 0 {
		l.comma = separator(head)
	}
	if l.comma != ',' {
		l.warnf(Delimiter, "the cells are separated by %q", l.comma)
	}
	return nil
}

const separators = ";\t|,"

// separator returns the sign that separates the cells of a CSV file: the one that
// most of the first records have as often as the header. It does not look into
// quotes. If several have, it is the one that the header has most often.
func separator(head []byte) rune {
	const records = 50
	var count, header, same [len(separators)]int
	quoted, ended, blank := false, 0, true
	for _, b := range head {
		if b == '"' {
			quoted = !quoted
		}
		if quoted {
			continue
		}
		if i := strings.IndexByte(separators, b); i >= 0 {
			count[i]++
		}
		if b != '\n' {
			blank = blank && b == '\r'
			continue
		}
		if blank {
			continue
		}
		if ended == 0 {
			header = count
		}
		for i := range count {
			if count[i] == header[i] {
				same[i]++
			}
		}
		count, blank = [len(separators)]int{}, true
		if ended++; ended == records {
			break
		}
	}
	if ended == 0 {
		header = count
	}
	best := len(separators) - 1
	for i := range header {
		if header[i] == 0 {
			continue
		}
		if header[best] == 0 || same[i] > same[best] || same[i] == same[best] && (header[i] > header[best] || best == len(separators)-1 && header[i] == header[best]) {
			best = i
		}
	}
	return rune(separators[best])
}

// each calls row with the cells of each row and its line.
func (l *loader) each(row func(cells []cell, line int) error) error {
	f, err := os.Open(l.text)
	if err != nil {
		return &Error{Kind: ErrStorage, Message: "the temporary file cannot be read", Err: err}
	}
	defer f.Close()
	in := &records{r: &limited{ctx: l.ctx, r: f, max: math.MaxInt64}, max: int64(l.opt.MaxRowBytes), line: 1}
	if l.isJSON {
		return l.eachObject(in, row)
	}
	r := csv.NewReader(bufio.NewReaderSize(in, peeked))
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = l.comma, -1, true
	var cells []cell
	for header := true; ; header = false {
		record, err := r.Read()
		if err == io.EOF {
			return nil
		}
		var broken *csv.ParseError
		if errors.As(err, &broken) {
			return &Error{Kind: ErrFormat, Line: broken.StartLine, Message: "the quotes of the record are broken; write \"\" for a quote inside a quoted cell", Err: err}
		}
		if err == nil {
			err = in.next(r.InputOffset())
		}
		if err != nil {
			return err
		}
		line, _ := r.FieldPos(0)
		if header {
			if l.columns == nil {
				if err := l.addColumns(record, line); err != nil {
					return err
				}
			}
			cells = make([]cell, len(l.columns))
			continue
		}
		if len(record) > len(l.columns) {
			return errorf(ErrFormat, line, "the row has %d cells and the header %d; quote cells that contain %q, or set Options.Separator", len(record), len(l.columns), l.comma)
		}
		if len(record) < len(cells) {
			if l.ragged++; l.raggedAt == 0 {
				l.raggedAt = line
			}
		}
		for i := range cells {
			cells[i] = cell{null: true}
			if i < len(record) {
				cells[i] = cell{text: record[i]}
			}
		}
		if err := row(cells, line); err != nil {
			return err
		}
	}
}

func (l *loader) addColumns(headers []string, line int) error {
	if n := len(l.columns) + len(headers); n > l.opt.MaxColumns {
		return errorf(ErrTooLarge, line, "the input has %d columns and at most %d are allowed; load a part of them", n, l.opt.MaxColumns)
	}
	if l.names == nil {
		l.names = map[string]bool{}
	}
	suffix := map[string]int{} // the last one, by name in lower case
	for _, header := range headers {
		name := strings.TrimSpace(strings.Join(strings.FieldsFunc(header, unicode.IsControl), " "))
		if name == "" {
			name = fmt.Sprintf("column_%d", len(l.columns)+1)
		}
		if len(name) > 128 {
			return errorf(ErrFormat, line, "the name of column %d has more than 128 bytes; is the first line a header?", len(l.columns)+1)
		}
		base := name
		for key := ascii.Lower(base); l.names[ascii.Lower(name)]; {
			suffix[key] = max(suffix[key], 1) + 1
			name = fmt.Sprintf("%s_%d", base, suffix[key])
		}
		l.names[ascii.Lower(name)] = true
		if name != header {
			l.warn(Warning{Kind: Header, Column: name, Line: line,
				Message: fmt.Sprintf("column %d with header %s is named %s", len(l.columns)+1, prompt.Quote(prompt.Clip(header, 128)), name)})
		}
		l.columns = append(l.columns, &tableColumn{name: name, header: strings.Clone(header)})
	}
	return nil
}

// records counts the bytes and lines of records, so that a record is refused
// before the memory has it whole.
type records struct {
	r     io.Reader
	max   int64
	start int64 // where the record starts
	end   int64 // of what was read

	line     int     // at start
	newlines []int64 // from start to end
}

func (r *records) Read(p []byte) (int, error) {
	left := r.max + 1 - (r.end - r.start)
	if left <= 0 {
		return 0, r.tooLarge()
	}
	n, err := r.r.Read(p[:min(int64(len(p)), left, peeked)])
	for i, b := range p[:n] {
		if b == '\n' {
			r.newlines = append(r.newlines, r.end+int64(i))
		}
	}
	r.end += int64(n)
	return n, err
}

func (r *records) tooLarge() error {
	return errorf(ErrTooLarge, r.line, "a record has more than %d bytes; is a quote or a bracket left open? Otherwise increase MaxRowBytes", r.max)
}

// next starts a record at an offset.
func (r *records) next(offset int64) error {
	if offset-r.start > r.max {
		return r.tooLarge()
	}
	line := r.lineAt(offset)
	r.newlines = append(r.newlines[:0], r.newlines[line-r.line:]...)
	r.start, r.line = offset, line
	return nil
}

// lineAt returns the line of an offset that is not before the record.
func (r *records) lineAt(offset int64) int {
	n, _ := slices.BinarySearch(r.newlines, offset)
	return r.line + n
}

// eachObject reads an array of objects or objects after each other.
func (l *loader) eachObject(in *records, row func(cells []cell, line int) error) error {
	dec := json.NewDecoder(in)
	dec.UseNumber()
	objects := &objectReader{loader: l, in: in, dec: dec}
	clear(l.lastIn)
	err := objects.each(row)
	var own *Error
	if err == nil || errors.As(err, &own) || l.ctx.Err() != nil {
		return err
	}
	return &Error{Kind: ErrFormat, Line: in.lineAt(dec.InputOffset()), Err: err,
		Message: fmt.Sprintf("object %d is broken here or below; the input has to be an array of objects or one object a line", objects.n)}
}

// An objectReader reads JSON.
type objectReader struct {
	*loader
	in  *records
	dec *json.Decoder
	n   int // the object, from 1
}

func (o *objectReader) each(row func(cells []cell, line int) error) error {
	o.n = 1
	first, err := o.dec.Token()
	array := first == json.Delim('[')
	if array {
		first, err = o.dec.Token()
	}
	for ; err == nil && first == json.Delim('{'); o.n++ {
		if err = o.next(row); err != nil {
			return err
		}
		if first, err = o.dec.Token(); err == io.EOF && !array {
			return nil
		}
	}
	if err == nil && array && first == json.Delim(']') {
		if _, err = o.dec.Token(); err == io.EOF {
			return nil
		}
	}
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	if err == nil {
		err = errors.New("it is not an object")
	}
	return err
}

// next passes on the object whose bracket was read.
func (o *objectReader) next(row func(cells []cell, line int) error) error {
	line := o.in.lineAt(o.dec.InputOffset())
	cells, err := o.object(line)
	if err != nil {
		return err
	}
	if err := row(cells, line); err != nil {
		return err
	}
	return o.in.next(o.dec.InputOffset())
}

// object reads the rest of an object after its bracket.
func (o *objectReader) object(line int) ([]cell, error) {
	cells := make([]cell, len(o.columns))
	for i := range cells {
		cells[i].null = true
	}
	for o.dec.More() {
		key, err := o.dec.Token()
		if err != nil {
			return nil, err
		}
		name, _ := key.(string)
		at, ok := o.index[name]
		if !ok {
			if err := o.addColumns([]string{name}, line); err != nil {
				return nil, err
			}
			at = len(o.columns) - 1
			o.index[name] = at
			cells, o.lastIn = append(cells, cell{}), append(o.lastIn, 0)
		}
		if o.lastIn[at] == o.n {
			return nil, errorf(ErrFormat, line, "object %d has the key of column %s twice; remove one", o.n, o.columns[at].name)
		}
		o.lastIn[at] = o.n
		var raw json.RawMessage
		if err := o.dec.Decode(&raw); err != nil {
			return nil, err
		}
		if cells[at], err = jsonCell(raw); err != nil {
			return nil, err
		}
	}
	_, err := o.dec.Token()
	return cells, err
}

func jsonCell(raw json.RawMessage) (c cell, err error) {
	switch {
	case raw[0] == 'n':
		c.null = true
	case raw[0] == '"':
		err = json.Unmarshal(raw, &c.text)
		c.text = strings.ReplaceAll(c.text, "\x00", "")
	default:
		c.text = string(raw)
		c.number = raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'
	}
	return c, err
}
