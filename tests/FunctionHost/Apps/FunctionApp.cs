namespace Jackdaw.FunctionHost.Apps;

/// <summary>A function app: a folder with host.json and a folder for each function, and its settings.</summary>
internal sealed record FunctionApp(string Folder, AppSettings Settings, HostFile Host, IReadOnlyList<Function> Functions)
{
    /// <summary>The functions that a setting or their own file leaves out.</summary>
    public required IReadOnlyList<string> Disabled { get; init; }

    /// <summary>Reads an app. Throws <see cref="AppException"/>.</summary>
    public static FunctionApp Read(string folder, AppSettings settings)
    {
        folder = Path.GetFullPath(folder);
        var host = HostFile.Read(folder, settings);
        host.Program(folder);
        var folders = Directory
            .EnumerateDirectories(folder)
            .Where(one => File.Exists(Path.Combine(one, "function.json")))
            .Order(StringComparer.Ordinal)
            .ToList();
        if (folders.Count == 0)
            throw new AppException($"{folder} has no functions: no folder in it has a function.json.");
        var disabled = folders.Where(one => settings.IsDisabled(Path.GetFileName(one)) || Function.IsDisabled(one, settings)).ToList();
        return new FunctionApp(folder, settings, host, [.. folders.Except(disabled).Select(one => Function.Read(one, settings))])
        {
            Disabled = [.. disabled.Select(one => Path.GetFileName(one))],
        };
    }
}
