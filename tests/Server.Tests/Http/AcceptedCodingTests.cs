using Jackdaw.Server.Http.Compression;

namespace Jackdaw.Server.Tests.Http;

public sealed class AcceptedCodingTests
{
    [Theory]
    [InlineData(null, "None")]
    [InlineData("", "None")]
    [InlineData("gzip", "Gzip")]
    [InlineData("GZIP", "Gzip")]
    [InlineData("x-gzip", "Gzip")]
    [InlineData("zstd", "Zstd")]
    [InlineData("gzip, deflate, br, zstd", "Zstd")]
    [InlineData("gzip;q=1.0, zstd;q=0.9", "Gzip")]
    [InlineData("gzip;q=0", "None")]
    [InlineData("gzip;q=0,zstd", "Zstd")]
    [InlineData("gzip ; q=0.5 , zstd ; q=0.1", "Gzip")]
    [InlineData("gzip;q=nonsense", "None")]
    [InlineData("*", "Gzip")]
    [InlineData("*;q=0", "None")]
    [InlineData("*, gzip;q=0", "None")]
    [InlineData("identity, gzip;q=0.5", "None")]
    [InlineData("identity;q=0.5, gzip", "Gzip")]
    [InlineData("notgzip, gzipped", "None")]
    [InlineData("br", "None")]
    public void The_coding_that_the_client_prefers_is_chosen(string? accepted, string coding) =>
        Assert.Equal(Enum.Parse<ContentCoding>(coding), AcceptedCoding.Choose(accepted));

    [Fact]
    public void Several_headers_are_one_list() => Assert.Equal(ContentCoding.Zstd, AcceptedCoding.Choose(new(["gzip;q=0.5", "zstd"])));
}
