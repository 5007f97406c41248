// Package server serves HTTP until the program is asked to end.
package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// Run serves requests until ctx is done. Then it calls the functions of end, such as
// the Shutdown of a handler, with a context that ends after wait. It is no error if
// they reach this limit: a turn that is cut off can be resumed.
func Run(
	ctx context.Context, l net.Listener, h http.Handler, wait time.Duration, end ...func(context.Context) error,
) error {
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), wait)
	defer cancel()
	var errs []error
	for _, f := range end {
		if err := f(limit); !errors.Is(err, context.DeadlineExceeded) {
			errs = append(errs, err)
		}
	}
	errs = append(errs, server.Close()) // the streams have ended
	<-ended
	return errors.Join(errs...)
}
