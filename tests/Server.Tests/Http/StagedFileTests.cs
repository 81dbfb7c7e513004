using Jackdaw.Server.Http;

namespace Jackdaw.Server.Tests.Http;

public sealed class StagedFileTests
{
    [Fact]
    public async Task Staged_bodies_together_take_no_more_than_their_limit_and_give_it_back()
    {
        var space = new StagingSpace(1000, StagingFullException.OfBodies);
        IDisposable first = StagedFile.Create(Path.GetTempPath(), space);
        await ((StagedFile)first).AppendAsync(new byte[600], default);
        using (IDisposable second = StagedFile.Create(Path.GetTempPath(), space))
        {
            await ((StagedFile)second).AppendAsync(new byte[400], default);
            var refusal = await Assert.ThrowsAsync<StagingFullException>(async () =>
                await ((StagedFile)second).AppendAsync(new byte[1], default)
            );
            Assert.Contains("1,000 bytes", refusal.Message);
            Assert.Contains("Limits.MaxStagedBodiesSizeInMb", refusal.Message);
            Assert.Equal(400, ((StagedFile)second).Length);
            Assert.Equal(1000, space.TakenBytes);
        }
        Assert.Equal(600, space.TakenBytes);
        await ((StagedFile)first).AppendAsync(new byte[400], default);
        first.Dispose();
        first.Dispose();
        Assert.Equal(0, space.TakenBytes);
    }
}
