package orders

import (
	"context"
	"io"

	"github.com/qedkit/qed/analyst/dataset"
)

// Open returns the orders in an embedded database. The caller closes it.
func Open(ctx context.Context) (*dataset.Dataset, error) {
	r, w := io.Pipe()
	go func() { w.CloseWithError(Write(w)) }()
	data, err := dataset.Load(ctx, r, nil)
	r.CloseWithError(err) // the writer ends too
	return data, err
}
