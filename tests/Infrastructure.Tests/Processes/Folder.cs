namespace Jackdaw.Infrastructure.Processes;

/// <summary>A temporary folder that any user of the machine may read, deleted at the end.</summary>
internal sealed class Folder : IDisposable
{
    private const UnixFileMode ReadableByAll =
        UnixFileMode.UserRead
        | UnixFileMode.UserWrite
        | UnixFileMode.UserExecute
        | UnixFileMode.GroupRead
        | UnixFileMode.GroupExecute
        | UnixFileMode.OtherRead
        | UnixFileMode.OtherExecute;

    private static readonly string[] s_made = ["/node_modules/", "/bin/", "/obj/"];

    public Folder()
    {
        Path = Directory.CreateTempSubdirectory("jackdaw-infrastructure-").FullName;
        File.SetUnixFileMode(Path, ReadableByAll);
    }

    public string Path { get; }

    /// <summary>A path in the folder.</summary>
    public string At(params string[] parts) => System.IO.Path.Combine([Path, .. parts]);

    /// <summary>Copies files of the checkout, named by their path below its root; a folder comes with all that is in it but what was
    /// built or installed.</summary>
    public void CopyFromCheckout(params string[] paths)
    {
        foreach (var path in paths)
        {
            var source = Checkout.At(path);
            if (!Directory.Exists(source))
                CopyFile(source, At(path));
            else
                foreach (var file in Directory.EnumerateFiles(source, "*", SearchOption.AllDirectories))
                    if (!s_made.Any(folder => file.Contains(folder, StringComparison.Ordinal)))
                        CopyFile(file, At(System.IO.Path.GetRelativePath(Checkout.Root, file)));
        }
    }

    /// <summary>Plants a mistake: replaces a text that the file must hold.</summary>
    public void Replace(string file, string text, string with)
    {
        var content = File.ReadAllText(At(file));
        Assert.Contains(text, content, StringComparison.Ordinal);
        File.WriteAllText(At(file), content.Replace(text, with, StringComparison.Ordinal));
    }

    public void Dispose() => Directory.Delete(Path, recursive: true);

    private static void CopyFile(string source, string target)
    {
        Directory.CreateDirectory(System.IO.Path.GetDirectoryName(target)!);
        File.Copy(source, target);
    }
}
