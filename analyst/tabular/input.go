package tabular

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"

	"golang.org/x/text/encoding"
	utf16 "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/qedkit/qed/internal/textfile"
)

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
		return 0, tooManyBytes(l.max)
	}
	var own *Error
	if err != nil && err != io.EOF && !errors.As(err, &own) {
		err = errorf(ErrRead, 0, func(t *texts) string { return t.Unreadable }).because(err)
	}
	return n, err
}

// unzipped says that a gzip is broken.
type unzipped struct{ r *gzip.Reader }

func (u unzipped) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	var own *Error
	if err != nil && err != io.EOF && !errors.As(err, &own) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		err = brokenGzip(err)
	}
	return n, err
}

func brokenGzip(err error) *Error {
	return errorf(ErrFormat, 0, func(t *texts) string { return t.BrokenGzip }).because(err)
}

// cleaned removes NUL bytes. If returns is set, a carriage return ends a line.
type cleaned struct {
	r       io.Reader
	returns bool
	dropped int
}

func (c *cleaned) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	kept := 0
	for _, b := range p[:n] {
		if b == 0 {
			continue
		}
		if b == '\r' && c.returns {
			b = '\n'
		}
		p[kept] = b
		kept++
	}
	c.dropped += n - kept
	return kept, err
}

const readBytes = 64 << 10

// copyText copies the input in UTF-8.
func (l *loader) copyText(r io.Reader) error {
	plain, err := os.Create(filepath.Join(l.dir, "bytes"))
	if err != nil {
		return storage(err)
	}
	defer plain.Close()
	in := bufio.NewReaderSize(&limited{ctx: l.ctx, r: r, max: l.opt.MaxBytes}, textfile.HeadBytes)
	head, err := in.Peek(textfile.HeadBytes)
	if err != nil && err != io.EOF {
		return err
	}
	if bytes.HasPrefix(head, []byte("\x1f\x8b")) {
		zipped, err := gzip.NewReader(in)
		if err != nil {
			return brokenGzip(err)
		}
		// The limit holds for what comes out.
		in = bufio.NewReaderSize(&limited{ctx: l.ctx, r: unzipped{zipped}, max: l.opt.MaxBytes}, textfile.HeadBytes)
		if head, err = in.Peek(textfile.HeadBytes); err != nil && err != io.EOF {
			return err
		}
	}
	switch is := textfile.Foreign(head); {
	case bytes.HasPrefix(head, []byte("PK")) && is != "":
		return l.copyWorkbook(plain, in)
	case bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0")):
		return errorf(ErrFormat, 0, func(t *texts) string { return t.OldExcel })
	case is != "":
		return errorf(ErrFormat, 0, func(t *texts) string { return t.Foreign }, "format", is)
	}
	clean := &cleaned{r: in, returns: bytes.IndexByte(head, '\n') < 0}
	if textfile.IsUTF16(head) {
		clean.r = transform.NewReader(in, utf16.UTF16(utf16.LittleEndian, utf16.UseBOM).NewDecoder())
		l.warn(Warning{Kind: Encoding}, l.texts.UTF16)
	}
	if textfile.HasBOM(head) {
		in.Discard(3)
	}
	if _, err := io.Copy(plain, clean); err != nil {
		return l.copyError(err)
	}
	if clean.dropped > 0 {
		l.warn(Warning{Kind: Dropped, Count: clean.dropped}, l.texts.Dropped)
	}
	l.text = plain.Name()
	valid, err := l.isUTF8(plain)
	if err == nil && (!valid || l.opt.Encoding != "") {
		return l.decode(plain)
	}
	return err
}

// isUTF8 reports whether a file is UTF-8.
func (l *loader) isUTF8(plain *os.File) (bool, error) {
	_, err := plain.Seek(0, io.SeekStart)
	if err == nil {
		in := &limited{ctx: l.ctx, r: plain, max: math.MaxInt64}
		_, err = io.Copy(io.Discard, transform.NewReader(in, encoding.UTF8Validator))
	}
	if errors.Is(err, encoding.ErrInvalidUTF8) {
		return false, nil
	}
	if err != nil {
		return false, l.copyError(err)
	}
	return true, nil
}

// copyError returns the error of a copy of the input. It is an error of storage
// unless the input could not be read.
func (l *loader) copyError(err error) error {
	var own *Error
	if errors.As(err, &own) || l.ctx.Err() != nil {
		return err
	}
	return storage(err)
}
