module pressroom/ci/killserve

go 1.26
