using Jackdaw.Documents;
using Jackdaw.Documents.Hosting;
using Jackdaw.Server.Configuration;
using Jackdaw.Server.Hosting;

namespace Jackdaw.Server.Tests.Hosting;

/// <summary>The command cannot be undone, so it does nothing to a folder that was perhaps not meant.</summary>
public sealed class NewHistoryCommandTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-new-history-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("--folder=/snap")]
    [InlineData("--folder", "/snap")]
    [InlineData("--All")]
    [InlineData("other")]
    public async Task What_is_neither_an_option_nor_a_setting_is_refused_before_anything_changes(params string[] unknown)
    {
        var former = await MakeAsync();
        foreach (var which in new[] { "shop", "--all" })
        {
            var output = new StringWriter();
            var refusal = await Assert.ThrowsAsync<ConfigurationException>(() =>
                NewHistoryCommand.RunAsync([which, $"--DataDir={_folder}", .. unknown], output)
            );
            Assert.Contains($"'{unknown[0]}'", refusal.Message, StringComparison.Ordinal);
            Assert.Empty(output.ToString());
        }
        await using var databases = Databases.Open(new DatabasesOptions { DataDir = _folder });
        Assert.Equal(former, databases.Get("shop").Id);
    }

    [Fact]
    public async Task The_folder_is_named_first_as_an_absolute_path()
    {
        var former = await MakeAsync();
        var output = new StringWriter();
        var relative = Path.GetRelativePath(Environment.CurrentDirectory, _folder);
        Assert.Equal(CommandLine.Success, await NewHistoryCommand.RunAsync(["--all", "--DataDir", relative], output));
        Assert.StartsWith($"The data folder is '{_folder}'.", output.ToString(), StringComparison.Ordinal);
        await using var databases = Databases.Open(new DatabasesOptions { DataDir = _folder });
        Assert.Equal(former, Assert.Single(databases.Get("shop").Ancestors).DatabaseId);
    }

    private async Task<Guid> MakeAsync()
    {
        await using var databases = Databases.Open(new DatabasesOptions { DataDir = _folder });
        return (await databases.CreateAsync("shop", default)).Id;
    }
}
