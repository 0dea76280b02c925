module pressroom/ci/hostile

go 1.26
