/** Views of models that are a file of their own: of versions, and of forecasts. */
export { Forecast } from './forecast/forecast.js';
export { ForecastQuality } from './forecast/forecast-quality.js';
export { VersionsView } from './versions-view.js';
