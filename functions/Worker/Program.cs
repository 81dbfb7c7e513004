// The handlers in the isolated worker model. NOT RUN by this repository's tests, and built only where its packages are to be had.
using Microsoft.Azure.Functions.Worker.Builder;
using Microsoft.Extensions.Hosting;

FunctionsApplication.CreateBuilder(args).Build().Run();
