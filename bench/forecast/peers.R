# Reads series from the standard input, a line each, and writes for each a line of JSON: by peer the forecasts and the
# bounds at 0.95. Arguments: the lengths of the seasons, by commas, and the horizon. With one season, the peers are ets
# and auto.arima; with several, or one that is not whole, those that know such seasons.
suppressMessages(library(forecast))
arguments <- commandArgs(trailingOnly = TRUE)
seasons <- as.numeric(strsplit(arguments[1], ",")[[1]])
horizon <- as.integer(arguments[2])
isPlain <- length(seasons) == 1 && seasons == round(seasons)
numbers <- function(values) paste(format(as.numeric(values), digits = 15, trim = TRUE), collapse = ",")
answer <- function(name, of) {
  sprintf('"%s":{"value":[%s],"low":[%s],"high":[%s]}', name, numbers(of$mean), numbers(of$lower), numbers(of$upper))
}
askPlain <- function(values) {
  series <- ts(values, frequency = seasons)
  c(
    answer("ets", forecast(ets(series), h = horizon, level = 95)),
    answer("auto.arima", forecast(auto.arima(series), h = horizon, level = 95))
  )
}
# Pairs of sines and cosines of each season: as many as Hyndman's examples of such data have.
PAIRS <- 5
askSeasonal <- function(values) {
  fitting <- seasons[2 * seasons < length(values)]
  if (length(fitting) == 0) return(askPlain(values))
  series <- msts(values, seasonal.periods = fitting)
  pairs <- pmin(PAIRS, floor((fitting - 1) / 2))
  arima <- auto.arima(series, xreg = fourier(series, K = pairs), seasonal = FALSE, max.p = 3, max.q = 3)
  last <- ts(values, frequency = round(max(fitting)))
  c(
    answer("snaive", snaive(last, h = horizon, level = 95)),
    answer("mstl", forecast(stlm(series, method = "ets"), h = horizon, level = 95)),
    answer("fourier", forecast(arima, xreg = fourier(series, K = pairs, h = horizon), level = 95)),
    answer("tbats", forecast(tbats(series, use.parallel = FALSE), h = horizon, level = 95))
  )
}
for (line in readLines(file("stdin"))) {
  values <- as.numeric(strsplit(line, ",")[[1]])
  answers <- if (isPlain) askPlain(values) else askSeasonal(values)
  cat(sprintf("{%s}\n", paste(answers, collapse = ",")))
}
