using Jackdaw.Server.Configuration;
using Jackdaw.Server.Hosting;

HomeFolder.Ensure();
return await CommandLine.RunAsync(args);
