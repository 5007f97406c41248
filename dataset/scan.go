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
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// A cell is a value of the input.
type cell struct {
	text   string
	quoted bool // a string of JSON, which is not read as a number or a boolean
	null   bool
}

// A loader reads an input twice: from the reader of the caller, and from the
// copy in UTF-8 that the first time wrote.
type loader struct {
	ctx      context.Context
	opt      Options
	dir      string
	isJSON   bool
	comma    rune
	columns  []*column
	index    map[string]int // of the columns of JSON, by header
	rows     int
	warnings []Warning

	ragged, raggedAt int
}

func (l *loader) warn(kind WarningKind, format string, args ...any) {
	l.warnings = append(l.warnings, Warning{Kind: kind, Message: fmt.Sprintf(format, args...)})
}

// limited fails after n bytes and when ctx ends.
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
	defer os.Remove(plain.Name())
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
	utf16 := bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff})
	if utf16 {
		source = transform.NewReader(in, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder())
		l.warn(Encoding, "the input was converted from UTF-16")
	}
	if bytes.HasPrefix(head, []byte{0xef, 0xbb, 0xbf}) {
		in.Discard(3)
	}
	strip := &withoutNUL{r: source}
	check := &utf8Check{}
	if _, err := io.Copy(io.MultiWriter(plain, check), strip); err != nil {
		return err
	}
	if strip.n > 0 {
		l.warn(Dropped, "%d NUL bytes were removed", strip.n)
	}
	if _, err := plain.Seek(0, io.SeekStart); err != nil {
		return &Error{Kind: ErrStorage, Message: "the temporary file cannot be read", Err: err}
	}
	source = plain
	if !check.valid() {
		source = charmap.Windows1252.NewDecoder().Reader(plain)
		l.warn(Encoding, "the input is not UTF-8; it was converted from Windows-1252, which includes Latin-1")
	}
	copied, err := os.Create(l.copyPath())
	if err != nil {
		return &Error{Kind: ErrStorage, Message: "the temporary file cannot be made", Err: err}
	}
	defer copied.Close()
	if _, err := io.Copy(copied, &limited{ctx: l.ctx, r: source, max: 4 * l.opt.MaxBytes}); err != nil {
		return err
	}
	if err := l.detect(copied); err != nil {
		return err
	}
	err = l.each(func(cells []cell, at int) error {
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
	if err != nil {
		return err
	}
	if len(l.columns) == 0 || l.rows == 0 {
		return errorf(ErrEmpty, 0, "the input has no rows; it needs a header and at least one row")
	}
	if l.ragged > 0 {
		l.warnings = append(l.warnings, Warning{Kind: Ragged, Line: l.raggedAt, Count: l.ragged,
			Message: fmt.Sprintf("%d rows are shorter than the header, first in line %d; their last cells are NULL", l.ragged, l.raggedAt)})
	}
	for _, c := range l.columns {
		l.warnings = append(l.warnings, c.decide()...)
	}
	return nil
}

func (l *loader) copyPath() string { return filepath.Join(l.dir, "text") }

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
	line, _, _ := bytes.Cut(head, []byte("\n"))
	l.comma = ','
	for _, r := range []rune{';', '\t', '|'} {
		if bytes.Count(line, []byte(string(r))) > bytes.Count(line, []byte(string(l.comma))) {
			l.comma = r
		}
	}
	if l.comma != ',' {
		l.warn(Delimiter, "the cells are separated by %q", l.comma)
	}
	return nil
}

// each calls row with the cells of each row and its line.
func (l *loader) each(row func(cells []cell, line int) error) error {
	f, err := os.Open(l.copyPath())
	if err != nil {
		return &Error{Kind: ErrStorage, Message: "the temporary file cannot be read", Err: err}
	}
	defer f.Close()
	in := &limited{ctx: l.ctx, r: bufio.NewReaderSize(f, peeked), max: 4 * l.opt.MaxBytes}
	if l.isJSON {
		return l.eachObject(in, row)
	}
	r := csv.NewReader(in)
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
		if err != nil {
			return err
		}
		line, _ := r.FieldPos(0)
		if header {
			if l.columns == nil {
				if err := l.addColumns(record); err != nil {
					return err
				}
			}
			cells = make([]cell, len(l.columns))
			continue
		}
		if len(record) > len(l.columns) {
			return errorf(ErrFormat, line, "the row has %d cells and the header %d; quote cells that contain %q", len(record), len(l.columns), l.comma)
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

func (l *loader) again(row func(cells []cell) error) error {
	return l.each(func(cells []cell, _ int) error {
		for len(cells) < len(l.columns) {
			cells = append(cells, cell{null: true}) // a column that later objects have
		}
		return row(cells)
	})
}

func (l *loader) addColumns(headers []string) error {
	if n := len(l.columns) + len(headers); n > l.opt.MaxColumns {
		return errorf(ErrTooLarge, 1, "the input has %d columns and at most %d are allowed; load a part of them", n, l.opt.MaxColumns)
	}
	for _, header := range headers {
		name := strings.TrimSpace(strings.Join(strings.FieldsFunc(header, func(r rune) bool { return r < ' ' || r == 0x7f }), " "))
		if name == "" {
			name = fmt.Sprintf("column_%d", len(l.columns)+1)
		}
		if len(name) > 128 {
			return errorf(ErrFormat, 1, "the name of column %d has more than 128 bytes; is the first line a header?", len(l.columns)+1)
		}
		base := name
		for n := 2; l.taken(name); n++ {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		if name != header {
			l.warnings = append(l.warnings, Warning{Kind: Header, Column: name, Line: 1, Message: fmt.Sprintf("column %d with header %q is named %s", len(l.columns)+1, header, name)})
		}
		l.columns = append(l.columns, &column{name: name, header: strings.Clone(header)})
	}
	return nil
}

func (l *loader) taken(name string) bool {
	for _, c := range l.columns {
		if strings.EqualFold(c.name, name) {
			return true
		}
	}
	return false
}

// eachObject reads an array of objects or objects after each other.
func (l *loader) eachObject(in io.Reader, row func(cells []cell, line int) error) error {
	broken := func(n int, err error) error {
		var own *Error
		if errors.As(err, &own) || l.ctx.Err() != nil {
			return err
		}
		return &Error{Kind: ErrFormat, Message: fmt.Sprintf("object %d is broken; the input has to be an array of objects or one object a line", n), Err: err}
	}
	buffered := bufio.NewReader(in)
	first, err := buffered.Peek(1)
	for err == nil && (first[0] == ' ' || first[0] == '\n' || first[0] == '\r' || first[0] == '\t') {
		buffered.Discard(1)
		first, err = buffered.Peek(1)
	}
	if err != nil {
		return broken(1, err)
	}
	array := first[0] == '['
	dec := json.NewDecoder(buffered)
	dec.UseNumber()
	if array {
		if _, err := dec.Token(); err != nil {
			return broken(1, err)
		}
	}
	for n := 1; ; n++ {
		if !dec.More() {
			if array {
				if _, err := dec.Token(); err != nil {
					return broken(n, err)
				}
			}
			if _, err := dec.Token(); err != io.EOF {
				return broken(n, err)
			}
			return nil
		}
		cells, err := l.object(dec)
		if err != nil {
			return broken(n, err)
		}
		if err := row(cells, n); err != nil {
			return err
		}
	}
}

func (l *loader) object(dec *json.Decoder) ([]cell, error) {
	open, err := dec.Token()
	if err != nil {
		return nil, err
	}
	if open != json.Delim('{') {
		return nil, errors.New("it is not an object")
	}
	cells := make([]cell, len(l.columns))
	for i := range cells {
		cells[i].null = true
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, _ := key.(string)
		at, ok := l.index[name]
		if !ok {
			if err := l.addColumns([]string{name}); err != nil {
				return nil, err
			}
			at = len(l.columns) - 1
			l.index[name] = at
			cells = append(cells, cell{})
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, err
		}
		switch c := (cell{text: string(raw)}); raw[0] {
		case 'n':
			cells[at] = cell{null: true}
		case '"':
			if err := json.Unmarshal(raw, &c.text); err != nil {
				return nil, err
			}
			c.text = strings.ReplaceAll(c.text, "\x00", "")
			// A string that looks like a number is an identifier; a date is a date.
			c.quoted = c.text != "" && forms(c.text)&(1<<formInteger|1<<formDecimal|1<<formComma|1<<formBoolean) != 0
			cells[at] = c
		default:
			cells[at] = c
		}
	}
	_, err = dec.Token()
	return cells, err
}
