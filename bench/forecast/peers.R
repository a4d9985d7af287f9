# Reads series from the standard input, a line each, and writes the bounds at 0.95 of ets and auto.arima as JSON.
suppressMessages(library(forecast))
arguments <- commandArgs(trailingOnly = TRUE)
season <- as.integer(arguments[1])
horizon <- as.integer(arguments[2])
numbers <- function(values) paste(format(as.numeric(values), digits = 15, trim = TRUE), collapse = ",")
bounds <- function(fitted) {
  answer <- forecast(fitted, h = horizon, level = 95)
  sprintf('{"low":[%s],"high":[%s]}', numbers(answer$lower), numbers(answer$upper))
}
ofEts <- character()
ofArima <- character()
for (line in readLines(file("stdin"))) {
  values <- ts(as.numeric(strsplit(line, ",")[[1]]), frequency = season)
  ofEts <- c(ofEts, bounds(ets(values)))
  ofArima <- c(ofArima, bounds(auto.arima(values)))
}
cat(sprintf('{"ets":[%s],"auto.arima":[%s]}', paste(ofEts, collapse = ","), paste(ofArima, collapse = ",")))
