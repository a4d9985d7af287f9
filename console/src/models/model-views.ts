/** Views of models that are a file of their own: of versions, of forecasts, and to share. */
export { Forecast } from './forecast/forecast.js';
export { ForecastQuality } from './forecast/forecast-quality.js';
export { ReportView } from './report/report-view.js';
export { VersionsView } from './versions-view.js';
