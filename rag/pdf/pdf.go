// Package pdf reads the text of PDF files for package rag, page by page. It runs
// PDFium as WebAssembly within the process, without cgo: a file that attacks PDFium
// reaches neither the program's memory nor its files.
//
//	reader, err := pdf.Open()
//	...
//	defer reader.Close()
//	chunks, err := rag.Read(ctx, files, &rag.ReadOptions{Loaders: map[string]rag.Loader{".pdf": reader.Load}})
package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/qedkit/qed/rag"
)

// ErrFormat is matched by the error for a file that is not a PDF, or is damaged.
var ErrFormat = errors.New("not a PDF file, or a damaged one")

// ErrTooLong is matched by the error for a file that takes more than two minutes.
var ErrTooLong = errors.New("it takes more than two minutes to read: split the file")

const (
	maxTime  = 2 * time.Minute
	maxPages = 1 << 14 // of 64 KiB: the memory for one file
)

// A Reader reads PDF files. It is safe for concurrent use. Opening one takes some
// seconds, so open one and keep it.
type Reader struct {
	compiled wazero.CompilationCache
	slots    chan struct{} // limits the files that are read at the same time
}

// Open returns a Reader.
func Open() (*Reader, error) {
	r := &Reader{compiled: wazero.NewCompilationCache(), slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
	pool, err := r.pool(context.Background()) // compiles PDFium
	if err == nil {
		err = pool.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("pdf: %w", err)
	}
	return r, nil
}

// Close frees the memory of the Reader. No file may be loaded afterwards.
func (r *Reader) Close() error { return r.compiled.Close(context.Background()) }

// pool returns PDFium with memory of its own. It ends with ctx.
func (r *Reader) pool(ctx context.Context) (pdfium.Pool, error) {
	return webassembly.Init(webassembly.Config{
		Context:  ctx,
		MaxTotal: 1,
		FSConfig: wazero.NewFSConfig(), // no files
		Stdout:   io.Discard,
		Stderr:   io.Discard,
		RuntimeConfig: wazero.NewRuntimeConfig().
			WithCompilationCache(r.compiled).
			WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
			WithMemoryLimitPages(maxPages).
			WithCloseOnContextDone(true),
	})
}

// Load is a [rag.Loader]. The chunks of the document have pages, and no offsets or
// lines. A document without text, such as a scan, is an error that matches
// [rag.ErrEmpty], and one with a password [rag.ErrEncrypted].
func (r *Reader) Load(ctx context.Context, data []byte) (*rag.Document, error) {
	limited, cancel := context.WithTimeoutCause(ctx, maxTime, ErrTooLong)
	defer cancel()
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-limited.Done():
		return nil, fmt.Errorf("pdf: %w", context.Cause(limited))
	}
	d, err := r.load(limited, data)
	if limited.Err() != nil {
		return nil, fmt.Errorf("pdf: %w", context.Cause(limited))
	}
	return d, err
}

func (r *Reader) load(ctx context.Context, data []byte) (d *rag.Document, err error) {
	pool, err := r.pool(ctx)
	if err != nil {
		return nil, fmt.Errorf("pdf: %w", err)
	}
	defer pool.Close() // an instance whose context is done cannot be closed without an error
	instance, err := pool.GetInstanceWithContext(ctx)
	if err != nil {
		return nil, fmt.Errorf("pdf: %w", err)
	}
	return load(ctx, instance, data)
}

func load(ctx context.Context, instance pdfium.Pdfium, data []byte) (*rag.Document, error) {
	opened, err := instance.OpenDocument(&requests.OpenDocument{File: &data})
	switch {
	case errors.Is(err, pdfiumerrors.ErrPassword), errors.Is(err, pdfiumerrors.ErrSecurity):
		return nil, rag.ErrEncrypted
	case err != nil:
		return nil, fmt.Errorf("%w: %s", ErrFormat, reason(err))
	}
	count, err := instance.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: opened.Document})
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrFormat, reason(err))
	}
	d := &rag.Document{Blocks: []rag.Block{}}
	var text strings.Builder
	for i := range count.PageCount {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		page, err := pageText(instance, requests.Page{ByIndex: &requests.PageByIndex{Document: opened.Document, Index: i}})
		if err != nil {
			return nil, fmt.Errorf("%w: page %d: %s", ErrFormat, i+1, reason(err))
		}
		shown := strings.TrimSpace(clean.Replace(strings.ToValidUTF8(page, "")))
		if shown == "" {
			continue
		}
		if text.Len() > 0 {
			text.WriteString("\n\n")
		}
		start := text.Len()
		if text.WriteString(shown); text.Len() > math.MaxInt32 {
			return nil, rag.ErrTooLarge
		}
		d.Blocks = append(d.Blocks, rag.Block{
			Start: start, End: text.Len(), Span: rag.Span{FirstPage: i + 1, LastPage: i + 1},
		})
	}
	if len(d.Blocks) == 0 {
		return nil, rag.ErrEmpty
	}
	d.Text = text.String()
	return d, nil
}

// reason returns the first line of an error of PDFium. If a file makes PDFium run out
// of memory, the lines after it are its call stack.
func reason(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// clean joins the parts of a hyphenated word, which PDFium marks, and unifies line
// ends.
var clean = strings.NewReplacer(
	"\ufffe\r\n", "", "\x02\r\n", "", "\ufffe", "", "\x02", "", "\r\n", "\n", "\r", "\n", "\x00", "",
)
