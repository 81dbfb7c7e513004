using System.Globalization;
using System.Text.Json;
using Jackdaw.Server.Configuration;

namespace Jackdaw.Server.Hosting;

/// <summary>Has a running server copy a database, and tells how far it is. The work is the server's; this only asks for it.</summary>
internal static class OnlineCopyCommand
{
    /// <summary>Returns the process's exit code.</summary>
    /// <exception cref="ConfigurationException">The database or the folder is not named, or a setting is wrong.</exception>
    public static async Task<int> RunAsync(string[] arguments, TextWriter output)
    {
        if (arguments is not [var database, var folder, .. var settings] || database.StartsWith('-') || folder.StartsWith('-'))
            throw new ConfigurationException(
                "Say which database is to be copied, and into which new folder: run copy DATABASE FOLDER [--url URL] [settings]."
            );
        var rest = settings.ToList();
        var options = ServerClientOptions.Take(rest);
        foreach (var setting in rest.Where(argument => argument.StartsWith('-')))
            ServerClient.RequireSetting(setting);
        var configuration = options.Read(rest);
        using var server = new ServerClient(configuration, options);
        using var answer = await server.SendAsync(
            HttpMethod.Post,
            $"/databases/{Uri.EscapeDataString(database)}/admin/copy?to={Uri.EscapeDataString(Path.GetFullPath(folder))}"
        );
        using var lines = new StreamReader(await answer.Content.ReadAsStreamAsync());
        if (!answer.IsSuccessStatusCode)
        {
            await Console.Error.WriteLineAsync(
                ServerClient.Told(await lines.ReadToEndAsync(), "Message")
                    ?? $"The server at {configuration.ServerUrl} answered {(int)answer.StatusCode}."
            );
            return CommandLine.Failure;
        }
        return await FollowAsync(lines, output);
    }

    private static async Task<int> FollowAsync(StreamReader lines, TextWriter output)
    {
        while (await lines.ReadLineAsync() is { } line)
        {
            using var state = JsonDocument.Parse(line);
            var copied = state.RootElement.GetProperty("CopiedBytes").GetInt64();
            var total = state.RootElement.GetProperty("TotalBytes").GetInt64();
            switch (state.RootElement.GetProperty("Status").GetString())
            {
                case "Completed":
                    await output.WriteLineAsync(
                        string.Create(
                            CultureInfo.InvariantCulture,
                            $"{copied:N0} bytes copied; {state.RootElement.GetProperty("Folder").GetString()} "
                                + $"is a data folder that holds the database as of transaction "
                                + $"{state.RootElement.GetProperty("Transaction").GetInt64():N0}."
                        )
                    );
                    return CommandLine.Success;
                case "Faulted":
                    await Console.Error.WriteLineAsync(state.RootElement.GetProperty("Message").GetString());
                    return CommandLine.Failure;
                default:
                    await output.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"{copied:N0} of {total:N0} bytes"));
                    break;
            }
        }
        await Console.Error.WriteLineAsync("The server broke off; there is no copy.");
        return CommandLine.Failure;
    }
}
